/** A bar for what takes longer than a second: on the terminal only, and gone when the work is done. */
import type { Surroundings } from "./command.js";

export interface Progress {
  /** So much of it is done. */
  step(done: number, all: number): void;
  /** Takes the bar away. */
  end(): void;
}

const SHOWN_AFTER_MS = 1_000;
const REDRAWN_AFTER_MS = 100;
const WIDTH = 24;
const CLEARED = "\r\u001b[K";

/** Says nothing for the first second, and nothing at all where nobody looks. */
export function createProgress(
  { clock, draw }: Pick<Surroundings, "clock" | "draw">,
  label: string,
): Progress {
  const begunMs = clock.now();
  let drawnMs: number | undefined;
  return {
    step(done, all) {
      const nowMs = clock.now();
      const isEarly = nowMs - begunMs < SHOWN_AFTER_MS;
      const isSoon = drawnMs !== undefined && nowMs - drawnMs < REDRAWN_AFTER_MS;
      if (!draw || isEarly || isSoon) return;
      drawnMs = nowMs;
      draw(`${CLEARED}${formatBar(label, done, all)}`);
    },
    end() {
      if (drawnMs !== undefined) draw?.(CLEARED);
    },
  };
}

function formatBar(label: string, done: number, all: number): string {
  const share = all === 0 ? 1 : Math.min(1, done / all);
  const filled = Math.round(share * WIDTH);
  return `${label} ${"█".repeat(filled)}${"░".repeat(WIDTH - filled)} ${Math.floor(share * 100)} %`;
}
