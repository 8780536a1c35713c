import { decodeText } from "../io/files.js";
import type { Project } from "../operations/project.js";
import type { LogEntry, LogPage } from "./answers.js";

const MOST_BYTES = 256 * 1024;
const MOST_ENTRIES = 500;
/** The format of `formatLogLine`. */
const LINE = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d\.\d{3}) (\w+) +(\S+) +(.*)$/;

/** Reads the end of the log. */
export async function readLog({ cli, folders }: Project): Promise<LogPage> {
  const { files } = cli;
  const stat = await files.statItself(folders.log);
  if (stat?.kind !== "file") return { path: folders.log, entries: [] };
  const from = Math.max(0, stat.bytes - MOST_BYTES);
  const bytes = await files.readFrom(folders.log, from, { links: "refused", maxBytes: MOST_BYTES });
  return { path: folders.log, entries: parseLog(bytes ? decodeText(bytes) : "") };
}

/** Newest first. Leaves out lines in another format, such as a first line that is cut. */
export function parseLog(text: string): LogEntry[] {
  return text
    .split("\n")
    .flatMap((line): LogEntry[] => {
      const [, day, time, level = "", source = "", message = ""] = LINE.exec(line) ?? [];
      return day === undefined ? [] : [{ time: `${day}T${time}Z`, level, source, message }];
    })
    .slice(-MOST_ENTRIES)
    .reverse();
}
