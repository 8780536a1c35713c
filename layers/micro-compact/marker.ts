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
  /** Where the agent works: paths in it are given as seen from there. */
  directory: string;
  superseded?: Supersession | undefined;
}

/** Tokens that a marker takes, for planning. */
export const MARKER_TOKENS = 35;
/** The call itself stands right above; this is for finding one's way. */
const LONGEST_SUBJECT = 40;

/**
 * What stands for a cleared result: what it was, how it was superseded, and where it lies. Hundreds of them are sent
 * with every request of a long session, so it says that in as few words as can be understood.
 */
export function formatMarker({ part, bytes, file, directory, superseded }: Marked): string {
  const what = [
    `${part.tool} ${describe(part, directory)}${readExit(part)}`,
    `${formatCount(bytes)} bytes`,
    ...(superseded === undefined ? [] : [superseded]),
  ];
  return `[Strata] Cleared: ${what.join(", ")}; whole in ${formatPath(file, directory)}`;
}

/** What the call was about, in one line. The end of a path tells more than its beginning. */
function describe({ state: { input = {} } }: ToolPart, directory: string): string {
  const { filePath, command, pattern, path, url, query } = input;
  if (typeof filePath === "string")
    return `${shortenFront(formatPath(filePath, directory))}${readLines(input)}`;
  const subject = command ?? pattern ?? url ?? query ?? path;
  return `\`${shorten(typeof subject === "string" ? subject : JSON.stringify(input))}\``;
}

function readLines({ offset, limit }: Readonly<Record<string, unknown>>): string {
  if (typeof offset !== "number" && typeof limit !== "number") return "";
  const first = typeof offset === "number" ? Math.max(1, offset) : 1;
  return typeof limit === "number" ? `:${first}-${first + limit - 1}` : `:${first}-`;
}

function readExit({ state: { metadata } }: ToolPart): string {
  const exit = metadata?.exit;
  return typeof exit === "number" ? ` (exit status ${exit})` : "";
}

/** OpenCode's tools take paths as seen from where the agent works. */
function formatPath(path: string, directory: string): string {
  const inside = relative(directory, path);
  return isAbsolute(path) && inside !== "" && inside.length < path.length ? inside : path;
}

function shorten(text: string): string {
  const line = cleanLine(text.replace(/\s+/g, " ")).trim();
  return line.length > LONGEST_SUBJECT ? `${cut(line, LONGEST_SUBJECT)}…` : line;
}

function shortenFront(text: string): string {
  const line = cleanLine(text.replace(/\s+/g, " ")).trim();
  const characters = [...line];
  return characters.length > LONGEST_SUBJECT ? `…${characters.slice(-LONGEST_SUBJECT).join("")}` : line;
}
