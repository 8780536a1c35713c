import { existsSync, mkdirSync, readFileSync, watch } from "node:fs";
import { basename, dirname } from "node:path";
import { patiently } from "../../support/patience.js";

/** Resolves when a file or folder that exists has gone from the folder above it. */
export function whenRemoved(path: string): Promise<void> {
  return new Promise((resolve) => {
    const watcher = watch(dirname(path), (_, name) => {
      if (name !== basename(path) || existsSync(path)) return;
      watcher.close();
      resolve();
    });
  });
}

const WAIT_MS = 20_000;
const LOOK_MS = 250;

/** Resolves when the file has this in it; rejects after 20 s, or `waitMs`, and later on a slow machine. */
export function whenContains(path: string, text: string, waitMs = WAIT_MS): Promise<void> {
  return whenFits(path, (contents) => contents.includes(text), text, waitMs);
}

/** Resolves when the file is there and its text fits; rejects after 20 s, or `waitMs`, and later on a slow machine. */
export function whenFits(
  path: string,
  fits: (text: string) => boolean,
  wanted: string,
  waitMs = WAIT_MS,
): Promise<void> {
  const boundMs = patiently(waitMs);
  const hasIt = () => existsSync(path) && fits(readFileSync(path, "utf8"));
  if (hasIt()) return Promise.resolve();
  // Only what is there can be watched.
  mkdirSync(dirname(path), { recursive: true });
  return new Promise((resolve, reject) => {
    const giveUp = () =>
      finish(() => reject(new Error(`${path} does not contain ${wanted} after ${boundMs} ms`)));
    const timer = setTimeout(giveUp, boundMs);
    const look = (): void => {
      if (hasIt()) finish(resolve);
    };
    const watcher = watch(dirname(path), look);
    // A folder that was removed and made again is not watched any more.
    const again = setInterval(look, LOOK_MS);
    // It may have come between the first look and the watch.
    look();

    function finish(act: () => void): void {
      clearTimeout(timer);
      clearInterval(again);
      watcher.close();
      act();
    }
  });
}
