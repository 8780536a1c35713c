import type { Files } from "../../src/io/files.js";
import { systemError } from "./memory-files.js";
import { sizeOf } from "./sizes.js";

export interface FaultyFiles extends Files {
  /** Number of operations so far. */
  readonly count: number;
  /** Whether a fault has occurred. */
  readonly hasFailed: boolean;
}

export interface Fault {
  /** Number of the first failing operation, from 1. */
  at: number;
  code: string;
  /** Only that operation, or all later changes too, as on a full disk. */
  lasting: boolean;
}

const CHANGING = new Set(["writeWhole", "create", "appendLine", "rename"]);

/** Fails one file operation, or all writes from then on, as SQLite's tests do. */
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
 * The faults to inject at each operation: all `faults` at full size, `usual` of them in turn otherwise, so that every
 * operation and every fault is covered.
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
