/**
 * Files of one JSON record a line, which several processes append to: each line, or all lines of one call, are there as
 * a whole or not at all. Damage, and lines that a later Strata has written, are passed over (json-lines.ts); with
 * `complain` the log says so once for a file, and again when there is more of it.
 */
import { join } from "node:path";
import { formatDayFile, isDayFile, parseDayFile } from "../days.js";
import type { Files } from "../seams/files.js";
import { formatCorruption, formatLaterLines, type JsonLines, readJsonLines } from "./json-lines.js";
import type { Log } from "./log.js";

/** Every call rejects with the system's error. */
export interface LineLog<T> {
  read(path: string): Promise<JsonLines<T>>;
  /** Adds them in one call; the bytes that were added. */
  append(path: string, records: readonly T[]): Promise<number>;
}

export interface LineLogOptions<T> {
  files: Files;
  /** `undefined` for what is no such record. */
  parse(value: unknown): T | undefined;
  /** `loss` says what follows from damage, at the end of the sentence. */
  complain?: { log: Pick<Log, "warn">; source: string; loss?: string };
}

export function createLineLog<T>({ complain, files, parse }: LineLogOptions<T>): LineLog<T> {
  const corruptSeen = new Map<string, number>();
  const laterSeen = new Set<string>();

  return {
    async read(path) {
      const lines = await readJsonLines(files, path, parse);
      if (complain) report(path, lines, complain);
      return lines;
    },

    async append(path, records) {
      const text = records.map((record) => JSON.stringify(record)).join("\n");
      await files.appendLine(path, text);
      return Buffer.byteLength(text) + 1;
    },
  };

  function report(
    path: string,
    lines: JsonLines<T>,
    { log, loss, source }: NonNullable<typeof complain>,
  ): void {
    const { corruptLines, laterLines } = lines;
    if (laterLines.length > 0 && !laterSeen.has(path)) {
      laterSeen.add(path);
      log.warn(source, formatLaterLines(path, lines));
    }
    if (corruptLines.length <= (corruptSeen.get(path) ?? 0)) return;
    corruptSeen.set(path, corruptLines.length);
    log.warn(source, `${formatCorruption(path, corruptLines)}${loss === undefined ? "" : `; ${loss}`}`);
  }
}

/** The same with a file a day, `<folder>/2026-11-21.jsonl`. Times stand for the days in which they lie. */
export interface DayLog<T> {
  pathOf(timeMs: number): string;
  read(timeMs: number): Promise<JsonLines<T>>;
  append(timeMs: number, records: readonly T[]): Promise<number>;
  /** When the days begin of which there are files, the oldest first. */
  days(): Promise<number[]>;
  /** Removes the files of all days before this one. */
  removeBefore(timeMs: number): Promise<void>;
}

export function createDayLog<T>(options: LineLogOptions<T> & { folder: string }): DayLog<T> {
  const { files, folder } = options;
  const lines = createLineLog(options);
  const pathOf = (timeMs: number): string => join(folder, formatDayFile(timeMs));

  return {
    pathOf,
    read: (timeMs) => lines.read(pathOf(timeMs)),
    append: (timeMs, records) => lines.append(pathOf(timeMs), records),

    async days() {
      return (await files.list(folder)).map(parseDayFile).filter((day) => day !== undefined);
    },

    async removeBefore(timeMs) {
      const first = formatDayFile(timeMs);
      for (const name of await files.list(folder))
        if (isDayFile(name) && name < first) await files.remove(join(folder, name));
    },
  };
}
