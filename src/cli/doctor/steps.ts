import type { Surroundings } from "../command.js";

/** A line for each step of the proof, for whoever waits for it at a terminal; nothing where nobody does. */
export function createSteps({
  clock,
  draw,
  style,
  warn,
}: Pick<Surroundings, "clock" | "draw" | "style" | "warn">): (step: string) => void {
  const begunMs = clock.now();
  return (step) => {
    const seconds = Math.round((clock.now() - begunMs) / 1_000);
    if (draw) warn(style.dim(`${String(seconds).padStart(4)} s  ${step} …`));
  };
}
