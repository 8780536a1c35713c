/**
 * Watches locks whose owner cannot be checked from here: it is on another machine, or unknown.
 *
 *     silent at once            last heartbeat over a day ago, and its file unchanged for a minute
 *     after three heartbeats    last heartbeat over a minute ago, and none while this process watched
 *     after a minute            no heartbeat while this process watched
 *     never                     a heartbeat while this process watched
 *
 * The heartbeat's time comes from the other machine's clock, which may be wrong, so it alone never makes a lock look old:
 * the file of a living owner on a shared disk is seen to change. A timer measures how long this process has watched.
 */

import { DAY_MS } from "../base/days.js";
import type { Clock } from "./clock.js";

/** When the lock's file last changed. */
export interface Signs {
  /** Last heartbeat by the owner's clock. */
  modifiedMs: number;
  /** Last heartbeat, or creation of the file, by the disk's clock. */
  changedMs: number;
}

/** "doubtful": not known yet; known after at most a minute of watching. */
export type Heard = "silent" | "beating" | "doubtful";

export interface LockWatch {
  /** What is known about the owner with this token. */
  look(path: string, tokenID: string, signs: Signs): Heard;
  /** What can be told without watching. Pure. */
  glance(signs: Signs): Heard;
}

/** Twelve heartbeats. */
export const SILENT_MS = 60_000;
/** Three heartbeats. */
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
