/**
 * A small file of machine state, global or per session: text, read and written whole. Reading
 *
 *     no file                             returns `fresh`
 *     a text that `parse` rejects         returns `fresh`
 *     a text of a newer Strata            returns the result of `later`; without `later`, what this version can read
 *     if `parse` or the disk throws       returns `fresh` and logs it; without `complain` it throws
 *
 * A file of a newer version is never overwritten: later-state.ts.
 */
import { formatError } from "../error.js";
import { type Files, readText } from "../seams/files.js";
import type { Log } from "./log.js";
import { findLaterVersionIn, formatLater } from "./version.js";

export interface StateFile<T, Other = never> {
  read(path: string): Promise<T | Other>;
  /** Rejects with the system's error. */
  write(path: string, state: T): Promise<void>;
}

export interface StateFileOptions<T, Other> {
  files: Pick<Files, "read" | "writeWhole">;
  /** `undefined` for an invalid text; may throw. */
  parse(text: string): T | undefined;
  format(state: T): string;
  fresh: T | Other;
  /** `anew` is the consequence, logged after "cannot be read". */
  complain?: { log: Pick<Log, "warn">; source: string; anew: string };
  /** Gets the readable part of the state. With `complain`, `why` is logged once per file. */
  later?(state: T | Other, why: string): T | Other;
}

export function createStateFile<T, Other = never>(options: StateFileOptions<T, Other>): StateFile<T, Other> {
  const { complain, files, format, fresh, later, parse } = options;
  const told = new Set<string>();

  return {
    async read(path) {
      try {
        const text = await readText(files, path);
        if (text === undefined) return fresh;
        const state = parse(text) ?? fresh;
        const version = later && findLaterVersionIn(text);
        return version === undefined || !later ? state : later(state, tellLater(path, version));
      } catch (thrown) {
        if (!complain) throw thrown;
        const { anew, log, source } = complain;
        log.warn(source, `${path} cannot be read, ${anew}: ${formatError(thrown)}`);
        return fresh;
      }
    },

    write: (path, state) => files.writeWhole(path, format(state)),
  };

  function tellLater(path: string, version: number): string {
    const why = formatLater(path, version);
    if (!told.has(path)) complain?.log.warn(complain.source, why);
    told.add(path);
    return why;
  }
}

/** The usual format of a state file. */
export const formatState = (state: object): string => JSON.stringify({ v: 1, ...state });

/** The same, readable for people. */
export const formatPage = (state: object): string => `${JSON.stringify({ v: 1, ...state }, null, 2)}\n`;
