import type { Files } from "../seams/files.js";
import { takeLines } from "./lines.js";

/** The records of a JSON Lines file in order, and the numbers (from 1) of the lines that hold none. */
export interface JsonLines<T> {
  records: T[];
  corruptLines: number[];
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
  const result: JsonLines<T> = { records: [], corruptLines: [], bytes: contents?.byteLength ?? 0 };
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

/** A sentence about damage: which lines of which file are lost. */
export function formatCorruption(path: string, lineNumbers: readonly number[]): string {
  const shown = lineNumbers.slice(0, 5).join(", ");
  const more = lineNumbers.length > 5 ? ` and ${lineNumbers.length - 5} more` : "";
  return `${path}: ${lineNumbers.length === 1 ? "line" : "lines"} ${shown}${more} cannot be read, passed over`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
