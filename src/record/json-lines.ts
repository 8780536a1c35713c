import { parseJson } from "../records.js";
import type { Files } from "../seams/files.js";
import { takeLines } from "./lines.js";

/** Records of a JSON Lines file, in order, and the line numbers (from 1) without a record. */
export interface JsonLines<T> {
  records: T[];
  corruptLines: number[];
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
    bytes: contents?.byteLength ?? 0,
  };
  if (!contents) return result;
  let number = 0;
  await takeLines(files, path, contents, (line) => {
    number++;
    if (line.trim() === "") return;
    const record = parse(parseJson(line));
    if (record === undefined) result.corruptLines.push(number);
    else result.records.push(record);
  });
  return result;
}

/** A sentence about damage: the file and the lost lines. */
export function formatCorruption(path: string, lineNumbers: readonly number[]): string {
  const shown = lineNumbers.slice(0, 5).join(", ");
  const more = lineNumbers.length > 5 ? ` and ${lineNumbers.length - 5} more` : "";
  return `${path}: ${lineNumbers.length === 1 ? "line" : "lines"} ${shown}${more} cannot be read, skipped`;
}
