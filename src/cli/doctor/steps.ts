import type { CliContext } from "../../operations/command.js";

/** Prints a line for each step of the proof, on a terminal only. */
export function createSteps({
  clock,
  draw,
  style,
  warn,
}: Pick<CliContext, "clock" | "draw" | "style" | "warn">): (step: string) => void {
  const begunMs = clock.now();
  return (step) => {
    const seconds = Math.round((clock.now() - begunMs) / 1_000);
    if (draw) warn(style.dim(`${String(seconds).padStart(4)} s  ${step} …`));
  };
}
