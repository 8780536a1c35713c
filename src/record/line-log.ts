/**
 * Files with one JSON record per line, to which several processes append. The lines of one call are written completely or
 * not at all. Damaged lines are skipped (json-lines.ts); with `complain` that is logged once
 * per file, and again if there are more.
 */
import { join } from "node:path";
import { formatDayFile, isDayFile, parseDayFile } from "../days.js";
import type { Files } from "../seams/files.js";
import { formatCorruption, type JsonLines, readJsonLines } from "./json-lines.js";
import type { Log } from "./log.js";

/** Every call may reject with the system's error. */
export interface LineLog<T> {
  read(path: string): Promise<JsonLines<T>>;
  /** Appends the records in one call. Returns the number of bytes. */
  append(path: string, records: readonly T[]): Promise<number>;
}

export interface LineLogOptions<T> {
  files: Files;
  /** `undefined` for an invalid record. */
  parse(value: unknown): T | undefined;
  /** `loss` is the consequence of damage, added to the sentence. */
  complain?: { log: Pick<Log, "warn">; source: string; loss?: string };
}

export function createLineLog<T>({ complain, files, parse }: LineLogOptions<T>): LineLog<T> {
  const corruptSeen = new Map<string, number>();

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
    { corruptLines }: JsonLines<T>,
    { log, loss, source }: NonNullable<typeof complain>,
  ): void {
    if (corruptLines.length <= (corruptSeen.get(path) ?? 0)) return;
    corruptSeen.set(path, corruptLines.length);
    log.warn(source, `${formatCorruption(path, corruptLines)}${loss === undefined ? "" : `; ${loss}`}`);
  }
}

/** The same with one file per day, `<folder>/2026-11-21.jsonl`. A time means the day that contains it. */
export interface DayLog<T> {
  pathOf(timeMs: number): string;
  read(timeMs: number): Promise<JsonLines<T>>;
  append(timeMs: number, records: readonly T[]): Promise<number>;
  /** Start times of the days that have a file, oldest first. */
  days(): Promise<number[]>;
  /** Removes the files of all earlier days. */
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
