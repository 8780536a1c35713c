import type { Files } from "../../src/seams/files.js";
import { systemError } from "./memory-files.js";
import { sizeOf } from "./sizes.js";

export interface FaultyFiles extends Files {
  /** Operations so far. */
  readonly count: number;
  /** Have the faults begun? */
  readonly hasFailed: boolean;
}

export interface Fault {
  /** The first operation that fails, from 1. */
  at: number;
  code: string;
  /** Only that one, or all that change something from then on, as on a full disk. */
  lasting: boolean;
}

const CHANGING = new Set(["writeWhole", "create", "appendLine", "rename"]);

/** Lets one file operation fail, or all writes from then on; SQLite's way of testing a full disk. */
export function withFault(files: Files, fault: Fault): FaultyFiles {
  let count = 0;
  let hasFailed = false;
  const fails = (name: string): boolean => {
    count++;
    const isDue = count === fault.at || (fault.lasting && count > fault.at && CHANGING.has(name));
    hasFailed ||= isDue;
    return isDue;
  };
  const wrapped = Object.fromEntries(
    Object.entries(files)
      .filter(([, operation]) => typeof operation === "function")
      .map(([name, operation]) => [
        name,
        async (...args: unknown[]) => {
          if (fails(name)) throw systemError(fault.code, String(args[0]));
          return (operation as (...args: unknown[]) => unknown)(...args);
        },
      ]),
  ) as unknown as Files;
  return Object.defineProperties(wrapped, {
    count: { get: () => count },
    hasFailed: { get: () => hasFailed },
  }) as FaultyFiles;
}

/**
 * From operation to operation: which faults each of them meets. At full size that is every one of the `faults`; in the
 * usual run as many as `usual`, by turns, so that all operations and all faults have their part.
 *
 *     const faultsAt = spreadFaults({ faults: 3, usual: 1, in: "dream.test.ts" });
 *     for (const at of faultsAt(nth)) …
 */
export function spreadFaults(size: { faults: number; usual: number; in: string }) {
  const count = sizeOf({
    usual: size.usual,
    long: size.faults,
    of: `faults at each file operation in ${size.in}`,
    because: "each plays a whole story",
  });
  const step = Math.round(size.faults / count);
  return function* operationsOf(nth: number): Generator<number> {
    for (let at = 1 + (nth % step); ; at += step) yield at;
  };
}
