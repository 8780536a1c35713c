/**
 * Locks of which nobody here can tell whether their owner lives: it is on another machine, or has written no name.
 *
 *     silent at once            it last beat more than a day ago, and for a minute nothing has happened to its file
 *     after three beats         it last beat more than a minute ago, and not while this process looked on
 *     after a minute            it did not beat while this process looked on
 *     never                     it has beaten while this process looked on
 *
 * The time in the file is that of the other machine's clock, which may be wrong, so by itself it never makes a lock look
 * old: what is on a shared disk and lives is seen to change there. How long one looks on is measured by a timer.
 */

import { DAY_MS } from "../days.js";
import type { Clock } from "../seams/clock.js";

/** When something last happened to the lock's file. */
export interface Signs {
  /** The last beat, as the clock of the owner has it. */
  modifiedMs: number;
  /** The last beat, or when the file was put there, as the clock of the disk has it. */
  changedMs: number;
}

/** "doubtful": that is not known yet, and will be within a minute of looking on. */
export type Heard = "silent" | "beating" | "doubtful";

export interface LockWatch {
  /** What is known of the one who holds the lock under this token. */
  look(path: string, tokenID: string, signs: Signs): Heard;
  /** What can be said without looking on. Pure. */
  glance(signs: Signs): Heard;
}

/** Twelve beats. */
export const SILENT_MS = 60_000;
/** Three beats. */
const LOOK_MS = 15_000;

interface Sighting {
  tokenID: string;
  seen: string;
  lookedMs: number;
  hasBeaten: boolean;
}

export function createLockWatch(clock: Clock): LockWatch {
  const sightings = new Map<string, Sighting>();
  return {
    glance,

    look(path, tokenID, signs) {
      if (glance(signs) === "silent") return "silent";
      const { hasBeaten, lookedMs } = sight(path, tokenID, signs);
      const isOld = clock.now() - signs.modifiedMs >= SILENT_MS;
      if (lookedMs >= SILENT_MS || (lookedMs >= LOOK_MS && isOld)) return "silent";
      return hasBeaten ? "beating" : "doubtful";
    },
  };

  function glance({ changedMs, modifiedMs }: Signs): Heard {
    const nowMs = clock.now();
    return nowMs - modifiedMs >= DAY_MS && nowMs - changedMs >= SILENT_MS ? "silent" : "doubtful";
  }

  function sight(path: string, tokenID: string, { changedMs, modifiedMs }: Signs): Sighting {
    const seen = `${modifiedMs} ${changedMs}`;
    const known = sightings.get(path);
    const isSame = known?.tokenID === tokenID;
    if (known && isSame && known.seen === seen) return known;
    const sighting: Sighting = { tokenID, seen, lookedMs: 0, hasBeaten: isSame };
    sightings.set(path, sighting);
    for (const lookedMs of [LOOK_MS, SILENT_MS])
      clock.after(lookedMs, () => {
        sighting.lookedMs = lookedMs;
      });
    return sighting;
  }
}
