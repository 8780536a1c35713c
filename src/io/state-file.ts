/** Small files of machine state, global or per session: JSON, read and written whole. */
import { formatError } from "../base/error.js";
import { parseJson } from "../base/shape.js";
import { type Files, readText } from "./files.js";
import type { Log } from "./log.js";

interface Complaint {
  log: Pick<Log, "warn">;
  source: string;
  /** What follows from it, logged after "cannot be read". */
  anew: string;
}

/**
 * What `parse` makes of the file; `undefined` if there is none, or none that `parse` takes. Rejects with the system's error;
 * with a complaint it logs that, and a file that `parse` does not take, instead.
 */
export async function readState<T>(
  files: Pick<Files, "read">,
  path: string,
  parse: (value: unknown) => T | undefined,
  complaint?: Complaint,
): Promise<T | undefined> {
  try {
    const text = await readText(files, path);
    const state = text === undefined ? undefined : parse(parseJson(text));
    if (complaint && text !== undefined && state === undefined) throw new Error("it has another form");
    return state;
  } catch (thrown) {
    if (!complaint) throw thrown;
    const { anew, log, source } = complaint;
    log.warn(source, `${path} cannot be read, ${anew}: ${formatError(thrown)}`);
    return undefined;
  }
}

/** The usual format of a state file. */
export const formatState = (state: object): string => JSON.stringify({ v: 1, ...state });

/** The same, readable for people. */
export const formatPage = (state: object): string => `${JSON.stringify({ v: 1, ...state }, null, 2)}\n`;
