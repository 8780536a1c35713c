/**
 * Files with one JSON record per line, to which several processes append. The lines of one call are written completely or
 * not at all. Damaged lines are skipped; with `complain` that is logged. A possibly long file is read in batches, yielding
 * to other work in between.
 */
import { join } from "node:path";
import { formatDayFile, isDayFile, parseDayFile } from "../base/days.js";
import { parseJson } from "../base/shape.js";
import type { Files } from "./files.js";
import type { Log } from "./log.js";

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

/** A sentence about damage: the file and the lost lines. */
export function formatCorruption(path: string, lineNumbers: readonly number[]): string {
  const shown = lineNumbers.slice(0, 5).join(", ");
  const more = lineNumbers.length > 5 ? ` and ${lineNumbers.length - 5} more` : "";
  return `${path}: ${lineNumbers.length === 1 ? "line" : "lines"} ${shown}${more} cannot be read, skipped`;
}

interface LineLogOptions<T> {
  files: Files;
  /** `undefined` for an invalid record. */
  parse(value: unknown): T | undefined;
  /** `loss` is the consequence of damage, added to the sentence. */
  complain?: { log: Pick<Log, "warn">; source: string; loss?: string };
}

/** Every call may reject with the system's error. */
export function createLineLog<T>({ complain, files, parse }: LineLogOptions<T>) {
  return {
    async read(path: string): Promise<JsonLines<T>> {
      const lines = await readJsonLines(files, path, parse);
      if (complain && lines.corruptLines.length > 0) {
        const { log, loss, source } = complain;
        const end = loss === undefined ? "" : `; ${loss}`;
        log.warn(source, `${formatCorruption(path, lines.corruptLines)}${end}`);
      }
      return lines;
    },

    /** Appends the records in one call. Returns the number of bytes. */
    async append(path: string, records: readonly T[]): Promise<number> {
      const text = records.map((record) => JSON.stringify(record)).join("\n");
      await files.appendLine(path, text);
      return Buffer.byteLength(text) + 1;
    },
  };
}

/** The same with one file per day, `<folder>/2026-11-21.jsonl`. A time means the day that contains it. */
export function createDayLog<T>(options: LineLogOptions<T> & { folder: string }) {
  const { files, folder } = options;
  const lines = createLineLog(options);
  const pathOf = (timeMs: number): string => join(folder, formatDayFile(timeMs));

  return {
    pathOf,
    read: (timeMs: number) => lines.read(pathOf(timeMs)),
    append: (timeMs: number, records: readonly T[]) => lines.append(pathOf(timeMs), records),

    /** Start times of the days that have a file, oldest first. */
    async days(): Promise<number[]> {
      return (await files.list(folder)).map(parseDayFile).filter((day) => day !== undefined);
    },

    /** Removes the files of all earlier days. */
    async removeBefore(timeMs: number): Promise<void> {
      const first = formatDayFile(timeMs);
      for (const name of await files.list(folder))
        if (isDayFile(name) && name < first) await files.remove(join(folder, name));
    },
  };
}

/** Batch sizes, in lines and bytes, that take a few milliseconds. */
const LINES_AT_A_TIME = 500;
const BYTES_AT_A_TIME = 64 * 1024;

/** Passes each line to `take`, in order and without its newline, including a last line that has none. */
async function takeLines(
  files: Pick<Files, "stat">,
  path: string,
  bytes: Uint8Array,
  take: (line: string) => void,
): Promise<void> {
  let taken = 0;
  for (const piece of cutAtLines(bytes)) {
    for (const line of piece.split("\n")) {
      if (taken++ > 0 && taken % LINES_AT_A_TIME === 1) await giveWay(files, path);
      take(line);
    }
    if (bytes.byteLength > BYTES_AT_A_TIME) await giveWay(files, path);
  }
}

/**
 * Passes each complete line from this offset on to `take`, and returns the offset for the next read. A last line without
 * a newline may still be incomplete, so it is left for the next read.
 */
export async function takeNewLines(
  files: Pick<Files, "readFrom" | "stat">,
  path: string,
  offset: number,
  take: (line: string) => void,
): Promise<number> {
  const bytes = (await files.readFrom(path, offset)) ?? new Uint8Array();
  const length = bytes.lastIndexOf(0x0a) + 1;
  await takeLines(files, path, bytes.subarray(0, length), take);
  return offset + length;
}

/** Any disk access yields to other work. */
export const giveWay = (files: Pick<Files, "stat">, path: string): Promise<unknown> => files.stat(path);

/** Texts of whole lines without the last newline. A text exceeds the batch size only if a single line does. */
function* cutAtLines(bytes: Uint8Array): Generator<string, void, void> {
  const decoder = new TextDecoder();
  for (let from = 0; from < bytes.byteLength; ) {
    const last = bytes.subarray(from, from + BYTES_AT_A_TIME).lastIndexOf(0x0a);
    const found = last === -1 ? bytes.indexOf(0x0a, from + BYTES_AT_A_TIME) : from + last;
    const end = found === -1 || bytes.byteLength - from <= BYTES_AT_A_TIME ? bytes.byteLength : found;
    yield decoder.decode(bytes.subarray(from, end));
    from = end + 1;
  }
}
