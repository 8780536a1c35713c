/**
 * Clears the long fields of a call's input. Names and types of all fields stay, so that the input still fits the tool's
 * schema; the text in place of the last long field names the file with the whole input.
 */

import { formatCount } from "../base/format.js";
import { isRecord } from "../base/records.js";
import type { ToolPart } from "../io/message.js";
import { cut } from "../text/text.js";
import { CHARACTERS_PER_TOKEN } from "./learned-size.js";
import { formatPath, MARKER_TOKENS } from "./marker.js";
import { readChanged } from "./superseded.js";

/** What can be cleared of an input. */
export interface LongInput {
  /** Names of the long fields, in the tool's order. */
  fields: readonly string[];
  /** Their length. */
  characters: number;
  /** Tokens freed by clearing them; an estimate. */
  tokens: number;
}

/** Fields by tool whose content the tool has put into a file, or done, or kept. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  write: ["content"],
  edit: ["oldString", "newString"],
  apply_patch: ["patchText"],
  bash: ["command"],
  todowrite: ["todos"],
};
/** Shorter fields are not worth a marker. */
const LONG_CHARACTERS = 120;
/** Each input takes a file and a decision, so clearing it must free at least this. */
const LEAST_TOKENS = 60;
/** Characters of a command that stay, and of the paths in a marker. */
const SHOWN_CHARACTERS = 100;
const SHOWN_PATHS = 6;

export const isTodoList = ({ tool }: ToolPart): boolean => tool === "todowrite";

/** `undefined` if the call did not succeed, or its input is not long enough to clear. */
export function findLongInput(part: ToolPart): LongInput | undefined {
  const names = FIELDS[part.tool];
  const { input, metadata, status } = part.state;
  if (!names || !input || status !== "completed") return undefined;
  // `null` if the command was killed.
  if (metadata?.exit !== undefined && metadata.exit !== 0) return undefined;
  const fields = names.filter((name) => measureField(input[name]) > LONG_CHARACTERS);
  const characters = fields.reduce((sum, name) => sum + measureField(input[name]), 0);
  const left = part.tool === "bash" ? SHOWN_CHARACTERS : LONG_CHARACTERS / 4;
  const tokens = Math.ceil(Math.max(0, characters - left) / CHARACTERS_PER_TOKEN) - MARKER_TOKENS;
  return tokens >= LEAST_TOKENS ? { fields, characters, tokens } : undefined;
}

/** Characters of a text or a list of todos; 0 for anything else. */
function measureField(value: unknown): number {
  if (typeof value === "string") return value.length;
  return isTodos(value) ? JSON.stringify(value).length : 0;
}

type Todo = Readonly<Record<string, unknown>>;

const isTodos = (value: unknown): value is readonly [Todo, ...Todo[]] =>
  Array.isArray(value) && value.length > 0 && value.every(isRecord) && typeof value[0]?.content === "string";

const IS_MARKER = /^(?:.{0,100} … )?\[Strata\] Cleared: [^\n]*; whole input in \S*tool-results/;

/**
 * Whether a new call repeats a marker in place of a text, as a model may that sees cleared calls of its own: run, the call
 * would write the marker to a file.
 */
export function repeatsMarker(tool: string, args: Readonly<Record<PropertyKey, unknown>>): boolean {
  return (FIELDS[tool] ?? []).some((name) => {
    const value = args[name];
    return IS_MARKER.test(isTodos(value) ? String(value[0].content) : String(value));
  });
}

export interface ClearedInput {
  part: ToolPart;
  fields: readonly string[];
  /** Path of the whole input. */
  file: string;
  /** The agent's working directory. */
  directory: string;
}

/** The input to show, as JSON. */
export function formatClearedInput(cleared: ClearedInput): string {
  const { directory, fields, file, part } = cleared;
  const input = part.state.input ?? {};
  const rest = `whole input in ${formatPath(file, directory)}`;
  const last = fields.at(-1);
  const entries = Object.entries(input).map(([name, value]) => {
    if (!fields.includes(name)) return [name, value];
    const what = describe(part, value, directory);
    const marker = `[Strata] Cleared: ${name === last ? `${what}; ${rest}` : what}`;
    return [name, place(part, value, marker)];
  });
  return JSON.stringify(Object.fromEntries(entries));
}

/** How much it was, and of what. */
function describe(part: ToolPart, value: unknown, directory: string): string {
  if (isTodos(value)) return `${value.length} todos, replaced by a later list`;
  const text = String(value);
  const size = `${formatCount(text.split("\n").length)} lines, ${formatCount(Buffer.byteLength(text))} bytes`;
  if (part.tool !== "apply_patch") return part.tool === "write" ? `${size} written` : size;
  const paths = readChanged(part.state.input ?? {}).map((path) => formatPath(path, directory));
  const more = paths.length > SHOWN_PATHS ? ` and ${paths.length - SHOWN_PATHS} more` : "";
  return `patch of ${paths.slice(0, SHOWN_PATHS).join(", ")}${more}, ${size}`;
}

/** The marker in the form of the value: a text, or a list with one todo. */
function place({ tool }: ToolPart, value: unknown, marker: string): unknown {
  if (isTodos(value)) return [{ ...value[0], content: marker }];
  if (tool !== "bash") return marker;
  const [first = ""] = String(value).trimStart().split("\n");
  return `${cut(first, SHOWN_CHARACTERS)} … ${marker}`;
}
