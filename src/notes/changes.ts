/** What an edit has changed, in a few words: "5433 → 5432". Pure. */
import type { ToolPart } from "../io/message.js";
import { mayShowSecrets, readInput, readText } from "../messages/call.js";
import { redactSecrets } from "../text/secrets/secrets.js";
import { cut, toLine } from "../text/text.js";
import { findNames } from "./names.js";

/** Lines of a file before and after an edit, those that are equal left out. */
export interface ChangedLines {
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

/** Characters of an edit that are compared; a longer one says less than its file's name. */
const LOOKED_AT = 8_000;
const LONGEST_SIDE = 60;
const LONGEST_LINE = 80;
const PATCHED_FILE = /^(?:\*\*\* (?:Add File|Update File|Move to): |\+\+\+ (?:b\/)?)([^\t\n]+)/;

/** The changed lines without secrets; nothing of files that hold them. `named` is the file as the call spells it. */
export function readChangedLines(part: ToolPart, named: string): ChangedLines {
  if (mayShowSecrets(part)) return { removed: [], added: [] };
  const input = readInput(part);
  const patch = readText(input, "patchText", "patch");
  // The host's diff has whole lines, by whose words a secret is known.
  const { diff } = part.state.metadata ?? {};
  const text = patch === undefined ? (typeof diff === "string" ? diff : undefined) : cutFile(patch, named);
  if (text !== undefined) return readDiff(safe(text));
  const edits = Array.isArray(input.edits) ? input.edits : [input];
  const sides = edits.map((edit) => {
    const fields = typeof edit === "object" && edit !== null ? (edit as Record<string, unknown>) : {};
    return {
      removed: safe(readText(fields, "oldString", "old_string") ?? ""),
      added: safe(readText(fields, "newString", "new_string") ?? ""),
    };
  });
  return withoutEqual({
    removed: sides.flatMap(({ removed }) => removed.split("\n")),
    added: sides.flatMap(({ added }) => added.split("\n")),
  });
}

const safe = (text: string): string => redactSecrets(cut(text, LOOKED_AT)).text;

/** The part of a patch that is about this file. */
function cutFile(patch: string, named: string): string {
  const lines = patch.split("\n");
  const start = lines.findIndex((line) => {
    const path = PATCHED_FILE.exec(line)?.[1]?.trim();
    return path !== undefined && (named.endsWith(path) || path.endsWith(named));
  });
  if (start === -1) return "";
  const end = lines.findIndex((line, index) => index > start && /^\*\*\* |^--- /.test(line));
  return lines.slice(start + 1, end === -1 ? undefined : end).join("\n");
}

function readDiff(text: string): ChangedLines {
  const lines = text.split("\n").filter((line) => !/^(?:---|\+\+\+) /.test(line));
  const of = (mark: string): string[] =>
    lines.flatMap((line) => (line.startsWith(mark) ? line.slice(1) : []));
  return withoutEqual({ removed: of("-"), added: of("+") });
}

function withoutEqual({ added, removed }: ChangedLines): ChangedLines {
  const [before, after] = [new Set(removed.map(trim)), new Set(added.map(trim))];
  return {
    removed: removed.filter((line) => line.trim() !== "" && !after.has(line.trim())),
    added: added.filter((line) => line.trim() !== "" && !before.has(line.trim())),
  };
}

const trim = (line: string): string => line.trim();

/** What has become of what, or the first line that is new; `""` where that says nothing. */
export function describeChange({ added, removed }: ChangedLines): string {
  const [from, to] = [removed[0], added[0]];
  if (from !== undefined && to !== undefined && removed.length === added.length) {
    const words = compareWords(from.trim(), to.trim());
    if (words !== undefined) return words;
  }
  const [come, gone] = [added.find(isTelling), removed.find(isTelling)];
  if (come !== undefined) return toLine(`+ ${come.trim()}`, LONGEST_LINE);
  return gone === undefined ? "" : toLine(`- ${gone.trim()}`, LONGEST_LINE);
}

/** Not a comment, an import or a bracket. */
const isTelling = (line: string): boolean =>
  /\w{3}/.test(line) &&
  !/^\s*(?:<{7}|={7}|>{7}|\/\/|\/?\*|#|--|<!--|import\b|from\b|use\b|package\b|["'`][\w@./-]+["'`],?\s*$)/.test(
    line,
  );

/** The words in which two lines differ; `undefined` where these are too many to be read. */
function compareWords(from: string, to: string): string | undefined {
  const [before, after] = [splitWords(from), splitWords(to)];
  let start = 0;
  while (start < Math.min(before.length, after.length) && before[start] === after[start]) start++;
  let end = 0;
  while (
    end < Math.min(before.length, after.length) - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  )
    end++;
  const [gone, come] = [before, after].map((words) =>
    words
      .slice(start, words.length - end)
      .join("")
      .trim(),
  );
  if (gone === undefined || come === undefined || gone.length > LONGEST_SIDE || come.length > LONGEST_SIDE)
    return undefined;
  if (gone === "" && come === "") return undefined;
  if (gone === "") return `+ ${come}`;
  return come === "" ? `- ${gone}` : `${gone} → ${come}`;
}

const splitWords = (line: string): string[] => line.match(/[\w$.]+|\s+|[^\w\s$.]/g) ?? [];

/** Names on the changed lines, each once, the most frequent first. */
export function findChangedNames({ added, removed }: ChangedLines, limit: number): string[] {
  return findNames([...added, ...removed].join("\n"), limit);
}
