import type { Files } from "../../src/io/files.js";
import { systemError } from "./memory-files.js";

export interface DyingFiles {
  files: Files;
  /** The process dies at the operation after this many more. */
  dieAfter(operations: number): void;
  /** Whether it has died. */
  readonly isDead: boolean;
  /** Number of operations so far. */
  readonly count: number;
}

/** The disk of a process that is killed at some operation: no later operation reaches it. */
export function withDeath(files: Files): DyingFiles {
  let left = Number.POSITIVE_INFINITY;
  let count = 0;
  const wrapped = Object.fromEntries(
    Object.entries(files)
      .filter(([, operation]) => typeof operation === "function")
      .map(([name, operation]) => [
        name,
        async (...args: unknown[]) => {
          count++;
          if (left-- <= 0) throw systemError("EKILLED", String(args[0]));
          return (operation as (...args: unknown[]) => unknown)(...args);
        },
      ]),
  ) as unknown as Files;
  return {
    files: wrapped,
    dieAfter: (operations) => {
      left = operations;
    },
    get isDead() {
      return left < 0;
    },
    get count() {
      return count;
    },
  };
}
