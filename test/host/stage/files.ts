import { existsSync, readFileSync, watch } from "node:fs";
import { basename, dirname } from "node:path";
import { patiently } from "../../support/patience.js";

/** Resolves when an existing file or folder has been removed. */
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
const LOOK_MS = 50;

/** Resolves when the file contains this text; rejects after 20 s or `waitMs`, later on a slow machine. */
export function whenContains(path: string, text: string, waitMs = WAIT_MS): Promise<void> {
  return whenFits(path, (contents) => contents.includes(text), text, waitMs);
}

/** Resolves when the file's text matches; rejects after 20 s or `waitMs`, later on a slow machine. */
export function whenFits(
  path: string,
  fits: (text: string) => boolean,
  wanted: string,
  waitMs = WAIT_MS,
): Promise<void> {
  const boundMs = patiently(waitMs);
  const hasIt = () => existsSync(path) && fits(readFileSync(path, "utf8"));
  if (hasIt()) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const finish = (act: () => void): void => {
      clearTimeout(timer);
      clearInterval(looking);
      act();
    };
    const giveUp = (): void =>
      finish(() => reject(new Error(`${path} does not contain ${wanted} after ${boundMs} ms`)));
    const timer = setTimeout(giveUp, boundMs);
    const looking = setInterval(() => hasIt() && finish(resolve), LOOK_MS);
  });
}
