/**
 * Time as it was recorded, without waiting: at each recorded moment the clock jumps ahead to it and tells the host by a
 * file, which `recorded-tools` reads inside the host. It never goes back.
 */
import { writeShift } from "../host/stage/shift-date.js";

export interface RecordedClock {
  /** The time as the host sees it, in milliseconds. */
  now(): number;
  /** Jumps ahead to a recorded moment. Without one, or without pauses, does nothing. */
  reach(at: number | undefined): void;
}

/** The clock of a replay without pauses. */
export const steadyClock: RecordedClock = { now: Date.now, reach: () => {} };

/** A clock that begins at the recorded moment `from`; the host reads its offset from `file`. */
export function createRecordedClock(from: number, file: string): RecordedClock {
  let offsetMs = 0;
  const shiftMs = Date.now() - from;
  const now = (): number => Date.now() + offsetMs;
  return {
    now,
    reach(at) {
      if (at === undefined || at + shiftMs <= now()) return;
      offsetMs += at + shiftMs - now();
      writeShift(file, offsetMs);
    },
  };
}
