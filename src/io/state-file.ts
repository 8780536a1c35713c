/**
 * A small file of machine state, global or per session: text, read and written whole. Reading
 *
 *     no file                             returns `fresh`
 *     a text that `parse` rejects         returns `fresh`
 *     if `parse` or the disk throws       returns `fresh` and logs it; without `complain` it throws
 */
import { formatError } from "../base/error.js";
import { type Files, readText } from "./files.js";
import type { Log } from "./log.js";

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
}

export function createStateFile<T, Other = never>(options: StateFileOptions<T, Other>): StateFile<T, Other> {
  const { complain, files, format, fresh, parse } = options;

  return {
    async read(path) {
      try {
        const text = await readText(files, path);
        return text === undefined ? fresh : (parse(text) ?? fresh);
      } catch (thrown) {
        if (!complain) throw thrown;
        const { anew, log, source } = complain;
        log.warn(source, `${path} cannot be read, ${anew}: ${formatError(thrown)}`);
        return fresh;
      }
    },

    write: (path, state) => files.writeWhole(path, format(state)),
  };
}

/** The usual format of a state file. */
export const formatState = (state: object): string => JSON.stringify({ v: 1, ...state });

/** The same, readable for people. */
export const formatPage = (state: object): string => `${JSON.stringify({ v: 1, ...state }, null, 2)}\n`;
