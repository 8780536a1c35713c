/**
 * How long the proof waits. A slow machine is not a broken one: as long as the session goes on it may, and what ends it
 * is silence, or the time that the user has set.
 */
import { StrataError } from "../../error.js";
import type { Clock } from "../../seams/clock.js";

export interface Patience {
  /** Aborted, with a `StrataError` that says what did not happen, when it is at an end. */
  readonly signal: AbortSignal;
  /** Something else has begun, for people: "ask for the first time". It may be silent for this long. */
  begin(step: string, quietMs?: number): void;
  /** What has begun goes on. */
  moved(): void;
  end(): void;
}

export interface PatienceOptions {
  clock: Clock;
  /** What the user allows in all. */
  withinSeconds?: number;
  /** Told of every step. */
  onStep(step: string): void;
}

/** Nothing in a session takes longer than two seconds on a machine with two cores that has nothing else to do. */
export const QUIET_MS = 60_000;
/** A session that goes on for so long goes round in circles. */
export const MOST_MS = 900_000;

export const isImpatience = (thrown: unknown): thrown is StrataError =>
  thrown instanceof StrataError && thrown.code === "TOO_SLOW";

export function createPatience({ clock, onStep, withinSeconds }: PatienceOptions): Patience {
  const abort = new AbortController();
  const mostMs = withinSeconds === undefined ? MOST_MS : withinSeconds * 1_000;
  let step = "start";
  let allowedMs = QUIET_MS;
  let cancelQuiet = (): void => {};
  const give = (what: string): void => abort.abort(new StrataError("TOO_SLOW", what));
  const cancelMost = clock.after(mostMs, () => give(`the session did not end within ${mostMs / 1_000} s`));

  function wait(): void {
    cancelQuiet();
    if (withinSeconds !== undefined) return;
    const what = `nothing has moved for ${allowedMs / 1_000} s: ${step}`;
    cancelQuiet = clock.after(allowedMs, () => give(what));
  }

  return {
    signal: abort.signal,
    begin(name, quietMs = QUIET_MS) {
      step = name;
      allowedMs = quietMs;
      onStep(name);
      wait();
    },
    moved: wait,
    end() {
      cancelQuiet();
      cancelMost();
    },
  };
}
