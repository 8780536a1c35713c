/**
 * The log for people: `.opencode/strata/strata.log`, one line per entry, newest last.
 *
 *     2026-11-21 07:30:12.123 INFO  tool-results  moved a bash result of 108,894 bytes to …
 *
 * Written in the background and in order; rotated at 1 MB, keeping two old files. It never writes to standard output,
 * which is the host's screen, and it never fails: entries that cannot be written go to the host's log. An error or
 * warning is logged once a day; repetitions count as "debug".
 */
import type PQueue from "p-queue";
import { DAY_MS } from "../base/days.js";
import { formatError } from "../base/error.js";
import { keepLast } from "../base/shape.js";
import type { Clock } from "./clock.js";
import type { Files } from "./files.js";
import type { Host } from "./host.js";

export type Log = Readonly<Record<Entry, (source: string, message: string) => void>>;

export const logLevels = ["off", "error", "warn", "info", "debug"] as const;
export type LogLevel = (typeof logLevels)[number];
type Entry = Exclude<LogLevel, "off">;

interface LogOptions {
  files: Files;
  clock: Clock;
  host: Host;
  /** Queue of all writes, in order; it must contain nothing slow. */
  writes: PQueue;
  path: string;
  level: LogLevel;
}

const TURN_OVER_BYTES = 1_000_000;
const EARLIER_FILES = 2;
/** Number of distinct messages that are remembered. */
const MOST_COMPLAINTS = 200;

export function createLog({ files, clock, host, writes, path, level }: LogOptions): Log {
  let size: number | undefined;
  let hasFailed = false;
  /** When each error or warning was last logged, oldest first. */
  const complaints = new Map<string, number>();
  return {
    error: (source, message) => write("error", source, message),
    warn: (source, message) => write("warn", source, message),
    info: (source, message) => write("info", source, message),
    debug: (source, message) => write("debug", source, message),
  };

  function write(wanted: Entry, source: string, message: string): void {
    const isComplaint = wanted === "error" || wanted === "warn";
    const entry = isComplaint && isRepeated(`${source} ${message}`) ? "debug" : wanted;
    if (!hasLevel(level, entry)) return;
    const line = formatLogLine(clock.now(), entry, source, message);
    void writes.add(() => append(line).catch((thrown) => fallBack(entry, `${source}: ${message}`, thrown)));
  }

  function isRepeated(complaint: string): boolean {
    const toldMs = complaints.get(complaint);
    if (toldMs !== undefined && clock.now() - toldMs < DAY_MS) return true;
    keepLast(complaints, complaint, clock.now(), MOST_COMPLAINTS);
    return false;
  }

  async function append(line: string): Promise<void> {
    // Other instances write here, too, and may have rotated the file already.
    if (size === undefined || size > TURN_OVER_BYTES) size = (await files.stat(path))?.bytes ?? 0;
    if (size > TURN_OVER_BYTES) await turnOver();
    await files.appendLine(path, line);
    size += Buffer.byteLength(line) + 1;
  }

  async function turnOver(): Promise<void> {
    for (let n = EARLIER_FILES; n > 0; n--)
      await files.rename(n === 1 ? path : `${path}.${n - 1}`, `${path}.${n}`);
    size = 0;
  }

  function fallBack(entry: LogLevel, message: string, thrown: unknown): void {
    size = undefined;
    if (!hasFailed)
      host.log("warn", `cannot write ${path} (${formatError(thrown)}); messages come here instead`);
    hasFailed = true;
    if (entry === "error" || entry === "warn") host.log(entry, message);
  }
}

/** Does a log of this level contain such entries? */
export function hasLevel(level: LogLevel, entry: LogLevel): boolean {
  return logLevels.indexOf(entry) <= logLevels.indexOf(level);
}

/** One entry, without the newline. */
export function formatLogLine(timeMs: number, entry: string, source: string, message: string): string {
  const time = new Date(timeMs).toISOString().replace("T", " ").replace("Z", "");
  return `${time} ${entry.toUpperCase().padEnd(5)} ${source.padEnd(12)}  ${message.replace(/\s*\n\s*/g, " ⏎ ").replace(/\p{Cc}/gu, "�")}`;
}
