/**
 * Markers in place of old results, and of the long fields of old inputs. In an input the names and types of all fields
 * stay, so that it fits the schema of its tool; the text in place of the last long field names the file with the whole.
 */
import { isAbsolute, relative } from "node:path";
import { formatCount } from "../base/format.js";
import { findByName } from "../base/glob.js";
import { isRecord } from "../base/shape.js";
import { cut } from "../base/text.js";
import type { Files } from "../io/files.js";
import type { Host } from "../io/host.js";
import { isToolPart, type Message, type ToolPart } from "../io/message.js";
import { isChangingTool } from "../messages/call.js";
import type { Result } from "../messages/history.js";
import { CHARACTERS_PER_TOKEN } from "./context-size.js";
import { type DatedDecision, decide } from "./decisions.js";
import { formatWholeInput, type KnownDecision, readInputKey } from "./replay.js";
import { findCutPath, measureCutFile, type ResultFiles } from "./result-files.js";

type LongInput = NonNullable<ReturnType<typeof findLongInput>>;

/** Fields by tool whose content the tool has put into a file, or done, or kept. */
const FIELDS: ReadonlyMap<string, readonly string[]> = new Map([
  ["write", ["content"]],
  ["edit", ["oldString", "newString"]],
  ["apply_patch", ["patchText"]],
  ["bash", ["command"]],
  ["todowrite", ["todos"]],
]);
/** Shorter fields are not worth a marker. */
const LONG_CHARACTERS = 120;
/** Each input takes a file and a decision, so clearing it must free at least this. */
const LEAST_TOKENS = 60;
/** Characters of a command that stay, and of the paths in a marker. */
const SHOWN_CHARACTERS = 100;
const SHOWN_PATHS = 6;

export const isTodoList = ({ tool }: ToolPart): boolean => tool === "todowrite";

/**
 * What can be cleared of an input: names of the long fields, in the tool's order, their length in characters, and the
 * tokens freed, an estimate. `undefined` if the call did not succeed, or its input is not long enough to clear.
 */
export function findLongInput(part: ToolPart) {
  const names = FIELDS.get(part.tool);
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

/** Does a new call have a marker where a text belongs? A model that sees its cleared calls may copy one into a file. */
export function repeatsMarker(tool: string, args: Readonly<Record<PropertyKey, unknown>>): boolean {
  return (FIELDS.get(tool) ?? []).some((name) => {
    const value = args[name];
    return IS_MARKER.test(isTodos(value) ? String(value[0].content) : String(value));
  });
}

/** The input to show, as JSON. `file` has the whole; `directory` is the agent's. */
function formatClearedInput(
  { part, fields }: { part: ToolPart; fields: readonly string[] },
  { file, directory }: { file: string; directory: string },
): string {
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

/** How many lines it was, and of what. */
function describe(part: ToolPart, value: unknown, directory: string): string {
  if (isTodos(value)) return `${value.length} todos, replaced by a later list`;
  const text = String(value);
  const size = `${formatCount(text.split("\n").length)} lines`;
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

/** How a later call made a result useless, in words for the model. */
export type Supersession = "read again later" | "edited later" | "made again later";

/**
 * Results that a later call made useless: the same part of a file, or all of it, was read again; the file changed; or
 * the same call was repeated. Ignores calls that failed or have not ended.
 */
export function findSuperseded(messages: readonly Message[]): ReadonlyMap<ToolPart, Supersession> {
  const superseded = new Map<ToolPart, Supersession>();
  const readLater = new Map<string, Set<string>>();
  const changedLater = new Set<string>();
  const madeLater = new Set<string>();
  for (let index = messages.length - 1; index >= 0; index--) {
    for (const part of [...(messages[index]?.parts ?? [])].reverse()) {
      if (!isToolPart(part) || part.state?.status !== "completed") continue;
      if (isChangingTool(part.tool)) {
        for (const path of readChanged(part.state.input ?? {})) changedLater.add(path);
        continue;
      }
      const why = part.tool === "read" ? explainRead(part) : explainCall(part);
      if (why) superseded.set(part, why);
    }
  }
  return superseded;

  function explainCall(part: ToolPart): Supersession | undefined {
    const name = `${part.tool} ${JSON.stringify(part.state.input ?? {})}`;
    const isMadeLater = madeLater.has(name);
    madeLater.add(name);
    return isMadeLater ? "made again later" : undefined;
  }

  function explainRead({ state: { input = {} } }: ToolPart): Supersession | undefined {
    const path = String(input.filePath);
    const range = readRange(input);
    const ranges = readLater.get(path) ?? new Set();
    const isReadLater = ranges.has(WHOLE) || ranges.has(range);
    readLater.set(path, ranges.add(range));
    if (isReadLater) return "read again later";
    return changedLater.has(path) ? "edited later" : undefined;
  }
}

const WHOLE = "whole";

const readRange = ({ offset, limit }: Readonly<Record<string, unknown>>): string =>
  offset === undefined && limit === undefined ? WHOLE : `${offset ?? 1} ${limit ?? ""}`;

/** The files changed by a call, as it names them. */
function readChanged({ filePath, patchText }: Readonly<Record<string, unknown>>): string[] {
  if (typeof filePath === "string") return [filePath];
  if (typeof patchText !== "string") return [];
  return [...patchText.matchAll(/^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm)].map(
    (match) => match[1] ?? "",
  );
}

export interface Marked {
  part: ToolPart;
  /** Path of the whole result. */
  file: string;
  /** The agent's working directory, to which OpenCode's tools resolve relative paths. */
  directory: string;
  superseded?: Supersession | undefined;
  /** Its first word; default: "Cleared". */
  verb?: MarkerVerb | undefined;
}

type MarkerVerb = "Cleared" | "Dropped by the user";

/** Tokens of a marker, counted with o200k. */
export const MARKER_TOKENS = 20;

/**
 * The marker that replaces a cleared result: how it ended, how it was superseded, and its path. The call right above it
 * says what it was. Every request of a long session sends hundreds of markers, so each word costs as much as a page a
 * day.
 */
export function formatMarker({ part, file, directory, superseded, verb = "Cleared" }: Marked): string {
  const { exit } = part.state.metadata ?? {};
  const ended = typeof exit === "number" ? `exit ${exit}` : undefined;
  const what = [ended, superseded, `whole in ${formatPath(file, directory)}`];
  return `[Strata] ${verb}: ${what.filter((one) => one !== undefined).join("; ")}`;
}

/** Relative to the working directory if it lies inside it. */
export function formatPath(path: string, directory: string): string {
  const inside = relative(directory, path);
  return isAbsolute(path) && inside !== "" && inside.length < path.length ? inside : path;
}

/* What can be taken out of the context with a marker in its place: old results, and long inputs of old calls. */

export interface ResultToClear {
  kind: "result";
  result: Result;
  /** The text currently shown for it. */
  shown: string;
  /** Layer 1's decision about it. */
  judged?: KnownDecision | undefined;
  superseded?: Supersession | undefined;
}

export interface InputToClear extends Pick<LongInput, "fields" | "characters"> {
  kind: "input";
  /** The result of the call. */
  result: Result;
}

/** OpenCode's tools with repeatable results; those of MCP servers, subagents and others only if the settings name them. */
const CLEARED_TOOLS = new Set(["read", "bash", "grep", "glob", "list", "websearch", "webfetch"]);

export const isRepeatable = (tool: string): boolean => CLEARED_TOOLS.has(tool);

/** May results of this tool be cleared at all? `named`: the settings' other tools, by name or pattern. */
export const isClearable = (tool: string, named: Readonly<Record<string, boolean>>): boolean =>
  isRepeatable(tool) || findByName(named, tool) === true;

/* Writes what is to be cleared to files, and decides what stays of it. */

/** Writes the file unless it exists; resolves to `undefined` if what stays would not be shorter. */
export type Store = (clearable: InputToClear | ResultToClear) => Promise<DatedDecision | undefined>;

interface StoreOptions {
  files: Files;
  host: Pick<Host, "directory">;
  resultFiles: ResultFiles;
  /** First word of a result's marker; default: "Cleared". */
  verb?: MarkerVerb;
}

export function createStore({ files, host, resultFiles, verb }: StoreOptions): Store {
  const { directory } = host;

  return (clearable) => (clearable.kind === "input" ? storeInput(clearable) : storeResult(clearable));

  async function storeInput(given: InputToClear): Promise<DatedDecision | undefined> {
    const { characters, fields, result } = given;
    const { part } = result;
    const file = await resultFiles.store(formatWholeInput(result));
    const text = formatClearedInput({ part, fields }, { file, directory });
    return text.length < characters
      ? decide(readInputKey(result), { outcome: "cleared", text, file })
      : undefined;
  }

  async function storeResult(clearable: ResultToClear): Promise<DatedDecision | undefined> {
    const { judged, result, shown, superseded } = clearable;
    const file = judged?.file ?? (await resultFiles.store(await readWhole(result)));
    const text = formatMarker({ part: result.part, file, directory, superseded, verb });
    const isShorter = Buffer.byteLength(text) < Buffer.byteLength(shown);
    return isShorter ? decide(result, { outcome: "cleared", text, file }) : undefined;
  }

  async function readWhole({ part, text }: ResultToClear["result"]): Promise<Uint8Array> {
    const cutPath = findCutPath(part, text);
    if (cutPath === undefined || (await measureCutFile(files, cutPath)) === undefined)
      return Buffer.from(text);
    return (await files.read(cutPath)) ?? Buffer.from(text);
  }
}
