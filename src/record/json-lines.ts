import { parseJson } from "../records.js";
import type { Files } from "../seams/files.js";
import { takeLines } from "./lines.js";
import { findLaterVersion } from "./version.js";

/** Records of a JSON Lines file, in order, and the line numbers (from 1) without a record. */
export interface JsonLines<T> {
  records: T[];
  corruptLines: number[];
  /** Lines written by a newer Strata, readable or not, and their latest version. */
  laterLines: number[];
  laterVersion?: number;
  /** Size of the file; 0 if there is none. */
  bytes: number;
}

/**
 * Reads a file with one JSON record per line. A line that is not JSON, or for which `parse` returns `undefined`, is skipped
 * and reported; empty lines are ignored.
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

/** A sentence about damage: the file and the lost lines. */
export function formatCorruption(path: string, lineNumbers: readonly number[]): string {
  const shown = lineNumbers.slice(0, 5).join(", ");
  const more = lineNumbers.length > 5 ? ` and ${lineNumbers.length - 5} more` : "";
  return `${path}: ${lineNumbers.length === 1 ? "line" : "lines"} ${shown}${more} cannot be read, skipped`;
}

/** A sentence about lines written by a newer Strata. */
export function formatLaterLines(path: string, { laterLines, laterVersion }: JsonLines<unknown>): string {
  const [first] = laterLines;
  return `${path}: ${laterLines.length} lines from line ${first} on are of version ${laterVersion}, written by a newer Strata: they stay, and are used as far as this version knows them. Update Strata`;
}
