/** Time that passes without waiting, for plugins that the host loads before all others. */
import { readFileSync, renameSync, writeFileSync } from "node:fs";

/** Shifts `Date` by the milliseconds in a file that `writeShift` may change at any time. They must not become fewer. */
export function shiftDate(file: string): void {
  const Real = Date;
  const offset = createOffset(file);
  const now = (): number => Real.now() + offset();
  globalThis.Date = new Proxy(Real, {
    construct: (target, given, self) => Reflect.construct(target, given.length > 0 ? given : [now()], self),
    apply: () => new Real(now()).toString(),
    get: (target, key) => (key === "now" ? now : Reflect.get(target, key)),
  });
}

/** In one step: in a file that is half written a reader would find no shift, and time would go back for it. */
export function writeShift(file: string, milliseconds: number): void {
  const whole = `${file}.next`;
  writeFileSync(whole, String(milliseconds));
  renameSync(whole, file);
}

/** Reads the offset at most once a millisecond, by a clock that is not shifted. */
function createOffset(file: string): () => number {
  let offsetMs = 0;
  let readAt = Number.NEGATIVE_INFINITY;
  return () => {
    if (performance.now() - readAt < 1) return offsetMs;
    readAt = performance.now();
    offsetMs = Number(readFileSync(file, "utf8"));
    return offsetMs;
  };
}

/** Shorter timers are the host's own business. */
const LONG_MS = 30_000;
const LOOK_MS = 50;

/** Long timers end when the shifted time has come. Beside `shiftDate`. */
export function shiftTimers(): void {
  const real = globalThis.setTimeout;
  const shifted = (action: (...given: unknown[]) => void, delayMs = 0, ...given: unknown[]) => {
    if (delayMs < LONG_MS) return real(action, delayMs, ...given);
    const dueMs = Date.now() + delayMs;
    const timer = setInterval(() => {
      if (Date.now() < dueMs) return;
      clearInterval(timer);
      action(...given);
    }, LOOK_MS);
    return timer;
  };
  globalThis.setTimeout = Object.assign(shifted, real) as typeof setTimeout;
}
