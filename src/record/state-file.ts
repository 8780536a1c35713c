/**
 * A kind of small file of machine state, one for all or one a session: a text, read and written whole. What is read
 *
 *     of no file                           is `fresh`
 *     of a text that `parse` does not take is `fresh`
 *     of what a later Strata has written   is what `later` makes of it; without `later` as far as it is known here
 *     where `parse` or the disk throws     is `fresh`, and the log says so; without `complain` it is thrown
 *
 * A file of a later version is never written over: later-state.ts.
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
  /** `undefined` for what is no such state; may throw. */
  parse(text: string): T | undefined;
  format(state: T): string;
  fresh: T | Other;
  /** `anew` says what becomes of it, after "cannot be read". */
  complain?: { log: Pick<Log, "warn">; source: string; anew: string };
  /** `state` as far as it is known here. With `complain` the log says why, once for each file. */
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

/** As most of them are written. */
export const formatState = (state: object): string => JSON.stringify({ v: 1, ...state });

/** For people too. */
export const formatPage = (state: object): string => `${JSON.stringify({ v: 1, ...state }, null, 2)}\n`;
