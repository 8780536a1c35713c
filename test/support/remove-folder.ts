import { rmSync } from "node:fs";

const MOST_TRIES = 100;

/**
 * Removes a folder to which a process may still be writing. Node lists a folder only once, its own retries included, and
 * fails with ENOTEMPTY if a file appears after that.
 */
export function removeFolder(path: string): void {
  for (let tries = 1; ; tries++) {
    try {
      rmSync(path, { recursive: true, force: true });
      return;
    } catch (error) {
      const isFilled = (error as NodeJS.ErrnoException).code === "ENOTEMPTY";
      if (!isFilled || tries === MOST_TRIES) throw error;
    }
  }
}
