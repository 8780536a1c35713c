/** A bar for what takes longer than a second: on the terminal only, and gone when the work is done. */
import type { Surroundings } from "./command.js";

export interface Progress {
  /** So much of it is done. */
  step(done: number, all: number): void;
  /** Takes the bar away. */
  end(): void;
}

/** Takes away what stands in the line. */
export const CLEARED = "\r\u001b[K";

const SHOWN_AFTER_MS = 1_000;
const REDRAWN_AFTER_MS = 100;
const WIDTH = 24;

/** Says nothing for the first second, then its name, and how far it is once that is known. */
export function createProgress(
  { clock, draw }: Pick<Surroundings, "clock" | "draw">,
  label: string,
): Progress {
  if (!draw) return { step() {}, end() {} };
  const begunMs = clock.now();
  let drawnMs: number | undefined;
  const show = (text: string): void => {
    drawnMs = clock.now();
    draw(`${CLEARED}${text}`);
  };
  const stop = clock.after(SHOWN_AFTER_MS, () => drawnMs === undefined && show(`${label} …`));
  return {
    step(done, all) {
      const nowMs = clock.now();
      const isEarly = nowMs - begunMs < SHOWN_AFTER_MS;
      const isSoon = drawnMs !== undefined && nowMs - drawnMs < REDRAWN_AFTER_MS;
      if (!isEarly && !isSoon) show(formatBar(label, done, all));
    },
    end() {
      stop();
      if (drawnMs !== undefined) draw(CLEARED);
    },
  };
}

function formatBar(label: string, done: number, all: number): string {
  const share = all === 0 ? 1 : Math.min(1, done / all);
  const filled = Math.round(share * WIDTH);
  return `${label} ${"█".repeat(filled)}${"░".repeat(WIDTH - filled)} ${Math.floor(share * 100)} %`;
}
