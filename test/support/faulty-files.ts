import type { Files } from "../../src/seams/files.js";
import { systemError } from "./memory-files.js";

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
