/**
 * How long the proof waits. A slow machine is not a broken one: the session may take as long as it makes progress, unless
 * the user has set a limit.
 */
import { StrataError } from "../../base/error.js";
import type { Clock } from "../../io/clock.js";

export interface Patience {
  /** Aborted at the end of patience, with a `StrataError` that says what did not happen. */
  readonly signal: AbortSignal;
  /** A step begins, which may make no progress for this long. */
  begin(step: string, quietMs?: number): void;
  /** The step has made progress. */
  moved(): void;
  end(): void;
}

export interface PatienceOptions {
  clock: Clock;
  /** The user's limit for the whole session. */
  withinSeconds?: number;
  /** Told of every step. */
  onStep(step: string): void;
}

/** No step takes longer than two seconds on an idle machine with two cores. */
export const QUIET_MS = 60_000;
/** A session that takes longer is in a loop. */
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
    const what = `no progress for ${allowedMs / 1_000} s (${step})`;
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
