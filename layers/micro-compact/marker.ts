import { isAbsolute, relative } from "node:path";
import { formatCount } from "../../src/format.js";
import { cleanLine, cut } from "../../src/notes/line.js";
import type { ToolPart } from "../../src/view/message.js";
import type { Supersession } from "./superseded.js";

export interface Marked {
  part: ToolPart;
  /** Size of what is in the file. */
  bytes: number;
  /** Where the whole result lies. */
  file: string;
  project: string;
  superseded?: Supersession | undefined;
}

/** Tokens that a marker takes, for planning. */
export const MARKER_TOKENS = 70;
const LONGEST_SUBJECT = 120;

/** What stands for a cleared result: what it was, why it is no loss, and where it lies. */
export function formatMarker({ part, bytes, file, project, superseded }: Marked): string {
  const why = superseded === undefined ? "" : `, ${superseded}`;
  const what = `${part.tool} of ${describe(part, project)}${readExit(part)}, ${formatCount(bytes)} bytes${why}`;
  return `[Strata] Cleared to keep the context small; nothing is lost. It was ${what}. Read it in ${file}`;
}

/** What the call was about, in one line. */
function describe({ state: { input = {} } }: ToolPart, project: string): string {
  const { filePath, command, pattern, path, url, query } = input;
  if (typeof filePath === "string") return `${shorten(shortenPath(filePath, project))}${readLines(input)}`;
  if (typeof command === "string") return `\`${shorten(command)}\``;
  const where = typeof path === "string" ? ` in ${shorten(shortenPath(path, project))}` : "";
  if (typeof pattern === "string") return `\`${shorten(pattern)}\`${where}`;
  const subject = url ?? query ?? path;
  return shorten(typeof subject === "string" ? subject : JSON.stringify(input));
}

function readLines({ offset, limit }: Readonly<Record<string, unknown>>): string {
  if (typeof offset !== "number" && typeof limit !== "number") return "";
  const first = typeof offset === "number" ? Math.max(1, offset) : 1;
  return typeof limit === "number" ? ` (lines ${first} to ${first + limit - 1})` : ` (from line ${first})`;
}

function readExit({ state: { metadata } }: ToolPart): string {
  const exit = metadata?.exit;
  return typeof exit === "number" ? ` (exit status ${exit})` : "";
}

function shortenPath(path: string, project: string): string {
  const inside = relative(project, path);
  return isAbsolute(path) && inside !== "" && !inside.startsWith("..") ? inside : path;
}

function shorten(text: string): string {
  const line = cleanLine(text.replace(/\s+/g, " ")).trim();
  return line.length > LONGEST_SUBJECT ? `${cut(line, LONGEST_SUBJECT)}…` : line;
}
