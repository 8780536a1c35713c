/**
 * A growing list that a test can wait on: requests to the model, events of the host. Waiting covers past
 * and future items, so that no item can be missed.
 */

import { patiently } from "../../support/patience.js";

/** Things seen so far, in order. */
export interface Sightings<T> {
  readonly all: readonly T[];
  add(item: T): void;
  /** Resolves with the first matching item, past or future; rejects after `timeoutMs` (30 s, more on a slow machine). */
  waitFor(fits: (item: T) => boolean, timeoutMs?: number): Promise<T>;
}

/** Creates an empty list. `describe` formats an item for the message of a failed wait. */
export function createSightings<T>(describe: (item: T) => string): Sightings<T> {
  const all: T[] = [];
  const watchers = new Set<(item: T) => void>();

  return {
    all,
    add(item) {
      all.push(item);
      for (const watch of watchers) watch(item);
    },
    waitFor(fits, timeoutMs = 30_000) {
      const past = all.find(fits);
      if (past !== undefined) return Promise.resolve(past);
      const boundMs = patiently(timeoutMs);
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          watchers.delete(watch);
          const seen = all.slice(-20).map(describe).join(", ") || "nothing";
          reject(new Error(`Not seen within ${boundMs} ms. Seen last: ${seen}`));
        }, boundMs);
        watchers.add(watch);

        function watch(item: T): void {
          if (!fits(item)) return;
          clearTimeout(timer);
          watchers.delete(watch);
          resolve(item);
        }
      });
    },
  };
}
