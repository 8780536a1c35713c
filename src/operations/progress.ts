/** A progress bar for work of more than a second; on a terminal only, and removed at the end. */
import type { CliContext } from "./command.js";

export interface Progress {
  step(done: number, all: number): void;
  /** Removes the bar. */
  end(): void;
}

/** Clears the line. */
export const CLEARED = "\r\u001b[K";

const SHOWN_AFTER_MS = 1_000;
const REDRAWN_AFTER_MS = 100;
const WIDTH = 24;

/** Silent for the first second; then shows the label, and the bar as soon as `step` was called. */
export function createProgress({ clock, draw }: Pick<CliContext, "clock" | "draw">, label: string): Progress {
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
