/**
 * Locks of which nobody here can tell whether their owner lives: it is on another machine, or has written no name.
 *
 * What counts is what is seen: a beat that has not changed while this process looked on for a minute. The time in the
 * file is only compared with itself and the minute is measured by a timer, so that neither a clock that jumps nor one
 * that is wrong on the other machine makes a lock look old.
 */
import type { Clock } from "../seams/clock.js";

export interface LockWatch {
  /** Has the beat of this holding stood still for so long that nobody can be behind it? */
  isSilent(path: string, tokenID: string, beatMs: number): boolean;
}

/** Twelve beats. */
export const SILENT_MS = 60_000;

interface Sighting {
  seen: string;
  isSilent: boolean;
}

export function createLockWatch(clock: Clock): LockWatch {
  const sightings = new Map<string, Sighting>();
  return {
    isSilent(path, tokenID, beatMs) {
      const seen = `${tokenID} ${beatMs}`;
      const known = sightings.get(path);
      if (known?.seen === seen) return known.isSilent;
      const sighting = { seen, isSilent: false };
      sightings.set(path, sighting);
      clock.after(SILENT_MS, () => {
        sighting.isSilent = true;
      });
      return false;
    },
  };
}
