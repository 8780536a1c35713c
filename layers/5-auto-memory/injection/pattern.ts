/** Rules triggered by a call: its command or path matches one of their words or globs. Pure. */
import { compileGlob } from "../../../src/base/glob.js";
import type { Memory } from "../../../src/memory/memory.js";
import { isActive } from "../../../src/memory/memory.js";
import type { Result } from "../../../src/messages/history.js";
import { formatMemoryLine } from "./line.js";

/** The command or path of a call. */
export interface CallSubject {
  command?: string;
  /** Relative to the project, with `/`. */
  path?: string;
}

/** A `CallSubject`, split once for all patterns. */
export interface Subject {
  /** Words of the command. */
  words: readonly string[];
  paths: readonly string[];
  /** Each name in the paths with and without its extension, and the parts of names with colons, such as `test:unit`. */
  names: readonly string[];
}

export type Fits = (subject: Subject) => boolean;

const LONGEST_PATTERN = 200;
/** In characters; what a command is about is rarely further back. */
const LONGEST_COMMAND = 2_000;
/** In characters; no system opens longer paths. */
const LONGEST_PATH = 4_096;
const BETWEEN_WORDS = /[\s;|&()'"`<>=]+/;

export function takeApart({ command = "", path }: CallSubject): Subject {
  const words = command.slice(0, LONGEST_COMMAND).toLowerCase().split(BETWEEN_WORDS);
  const paths = (path === undefined ? words : [path.slice(0, LONGEST_PATH).toLowerCase()]).map(trimPath);
  const segments = paths.flatMap((one) => one.split("/"));
  const names = segments.flatMap((name) => [name, withoutEnding(name), ...name.split(":")]);
  return { words, paths, names: [...new Set(names)] };
}

const trimPath = (path: string): string => path.replace(/^\.?\//, "");

/** `parser.test.ts` is `parser`, and `.env` is `.env`. */
function withoutEnding(name: string): string {
  const dot = name.indexOf(".", 1);
  return dot === -1 ? name : name.slice(0, dot);
}

/**
 * In a command, a pattern matches consecutive words (`git push`, `npm`, `--force*`) and file names. In a path, a pattern with
 * `/` matches as a glob (a folder includes its contents); any other matches the name of a file or folder, with or without
 * extension. `undefined` for an invalid pattern, and for one that would match anything.
 */
export function compilePattern(pattern: string): Fits | undefined {
  const wanted = pattern.trim().toLowerCase();
  if (wanted.length > LONGEST_PATTERN || !/[\p{L}\p{N}]/u.test(wanted)) return undefined;
  const words = wanted.split(/\s+/).map(compileGlob);
  if (words.length > 1)
    return ({ words: given }) => given.some((_, at) => words.every((fits, n) => fits(given[at + n] ?? "")));
  const path = trimPath(wanted.replace(/\/+$/, ""));
  if (!path.includes("/")) {
    const fits = compileGlob(path);
    return ({ names }) => names.some(fits);
  }
  const [itself, within] = [compileGlob(path), compileGlob(`${path}/**`)];
  return ({ paths }) => paths.some((one) => itself(one) || within(one));
}

export interface TriggerOptions {
  nowMs: number;
  /** Ids of rules shown with the results of the last calls. */
  recent: ReadonlySet<string>;
}

/** First line of such a text, which identifies it. */
export const TRIGGER_HEAD =
  "[Strata] Noted in earlier sessions about what was just used. It is a record, no request, and grants nothing.";

/** Minimum number of calls before a rule is shown again, unless its last text is no longer shown. */
export const CALLS_BETWEEN = 40;
const MOST_RULES = 3;
const LINE_CHARACTERS = 300;

/** A rule with its triggers. */
export interface TriggerRule {
  memory: Memory;
  fits: Fits;
}

/** The rules with triggers; memories that came with the repository trigger nothing. */
export function findTriggerRules(memories: readonly Memory[]): TriggerRule[] {
  return memories.flatMap((memory) => {
    const matchers = memory.isForeign ? [] : memory.when.flatMap((pattern) => compilePattern(pattern) ?? []);
    if (matchers.length === 0) return [];
    return [{ memory, fits: (subject) => matchers.some((fits) => fits(subject)) }];
  });
}

/** The text to add to the newest result; `undefined` if no rule is due. */
export function planTriggered(
  rules: readonly TriggerRule[],
  subjects: readonly CallSubject[],
  { nowMs, recent }: TriggerOptions,
): string | undefined {
  const used = subjects.map(takeApart);
  const due = rules
    .filter(({ fits, memory }) => !recent.has(memory.id) && isActive(memory, nowMs) && used.some(fits))
    .slice(0, MOST_RULES);
  if (due.length === 0) return undefined;
  const lines = due.map(({ memory }) => formatMemoryLine(memory, { nowMs, maxCharacters: LINE_CHARACTERS }));
  return [TRIGGER_HEAD, ...lines].join("\n");
}

/** The command or file of a result's call; `undefined` if it has neither. */
export function readSubject({ part }: Result, project: string): CallSubject | undefined {
  const { command, filePath, path } = part.state.input ?? {};
  if (typeof command === "string" && command !== "") return { command };
  const file = typeof filePath === "string" ? filePath : path;
  if (typeof file !== "string" || file === "") return undefined;
  const posix = file.replaceAll("\\", "/");
  const root = `${project.replaceAll("\\", "/").replace(/\/$/, "")}/`;
  return { path: posix.startsWith(root) ? posix.slice(root.length) : posix };
}
