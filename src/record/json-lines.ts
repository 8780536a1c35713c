import { parseJson } from "../records.js";
import type { Files } from "../seams/files.js";
import { takeLines } from "./lines.js";
import { findLaterVersion } from "./version.js";

/** The records of a JSON Lines file in order, and the numbers (from 1) of the lines that hold none. */
export interface JsonLines<T> {
  records: T[];
  corruptLines: number[];
  /** Those that a later Strata has written, whether or not there is a record in them; with their latest version. */
  laterLines: number[];
  laterVersion?: number;
  /** Size of what was read; 0 when there is no file. */
  bytes: number;
}

/**
 * Reads a file of one JSON record a line. A line that is not JSON, or that `parse` does not take (by returning
 * `undefined`), is passed over and reported; empty lines count for nothing.
 */
export async function readJsonLines<T>(
  files: Files,
  path: string,
  parse: (value: unknown) => T | undefined,
): Promise<JsonLines<T>> {
  const contents = await files.read(path);
  const result: JsonLines<T> = {
    records: [],
    corruptLines: [],
    laterLines: [],
    bytes: contents?.byteLength ?? 0,
  };
  if (!contents) return result;
  let number = 0;
  await takeLines(files, path, contents, (line) => {
    number++;
    if (line.trim() === "") return;
    const value = parseJson(line);
    const record = parse(value);
    const version = findLaterVersion(value);
    if (version !== undefined) {
      result.laterLines.push(number);
      result.laterVersion = Math.max(version, result.laterVersion ?? 0);
    }
    if (record !== undefined) result.records.push(record);
    else if (version === undefined) result.corruptLines.push(number);
  });
  return result;
}

/** A sentence about damage: which lines of which file are lost. */
export function formatCorruption(path: string, lineNumbers: readonly number[]): string {
  const shown = lineNumbers.slice(0, 5).join(", ");
  const more = lineNumbers.length > 5 ? ` and ${lineNumbers.length - 5} more` : "";
  return `${path}: ${lineNumbers.length === 1 ? "line" : "lines"} ${shown}${more} cannot be read, passed over`;
}

/** A sentence about lines that a later Strata has written. */
export function formatLaterLines(path: string, { laterLines, laterVersion }: JsonLines<unknown>): string {
  const [first] = laterLines;
  return `${path}: ${laterLines.length} lines from line ${first} on are of version ${laterVersion}, which a later Strata has written: they stay, and count as far as they are known here; update this one`;
}
