/** What a finished tool call adds to the ledger. */
import { stripVTControlCharacters } from "node:util";
import { isRecord } from "../base/shape.js";
import { cut, shortenPath, toLine } from "../base/text.js";
import type { ToolPart } from "../io/message.js";
import {
  findDeclaredIn,
  findDeclaredNames,
  findTouchedPaths,
  formatInput,
  hasFailed,
  hashCall,
  hashText,
  isChangingTool,
  mayShowSecrets,
  readExit,
  readInput,
  readText,
} from "../messages/call.js";
import { findErrorLine } from "../messages/error-line.js";
import { redactSecrets, toSafeLine } from "../text/secrets/secrets.js";
import { parseForkReports } from "./fork-report.js";
import { CAPS, type Draft, type Fact, put } from "./ledger.js";
import { findLookedAt, findNames, findSubjects, isLooking } from "./wording.js";

const LONGEST_COMMAND = 1_000;
const LONGEST_INPUT = 160;
const LONGEST_OUTPUT_LINE = 200;
const LONGEST_ERROR = 300;
const LONGEST_RESULT = 600;
const LONGEST_TODO = 300;
/** Files of one command; one that names more searches them. */
const MOST_LOOKED_AT = 6;
const PLAN = /(^|\/)plans?\/.*\.md$|(^|\/)plan\.md$/i;

/** Learns a call once, after it has finished. `messageAt` is used if the host gives no start time of the call. */
export function learnCall(draft: Draft, messageAt: number, part: ToolPart, project: string): void {
  const status = part.state?.status;
  if (typeof part.tool !== "string" || (status !== "completed" && status !== "error")) return;
  const start = part.state.time?.start;
  const at = typeof start === "number" && Number.isFinite(start) ? start : messageAt;
  const key = formatCallKey(at, part.callID);
  if (draft.callKeys.has(key) || at <= draft.countedUntil) return;
  draft.callKeys.add(key);
  draft.ended++;
  draft.hasChanged = true;
  learnLook(draft, at, part, project);
  if (part.tool === "bash") learnCommand(draft, at, part);
  learnOutcome(draft, at, part);
  if (status !== "completed") return;
  for (const path of findTouchedPaths(part, project)) learnFile(draft, { at, key }, part, path);
  if (part.tool === "todowrite") learnTodos(draft, at, part);
  if (part.tool === "skill") learnSkill(draft, at, part);
  if (part.tool === "task") learnSubagent(draft, at, key, part);
  if (part.tool === "lease") learnLease(draft, at, part);
  if (part.tool === "fork") learnForks(draft, at, key, part);
}

/** Starts with the time in base 36, by which keys can be ordered; call IDs may repeat. */
export function formatCallKey(at: number, callID: unknown): string {
  return `${Math.max(0, Math.floor(at)).toString(36)}-${hashText(typeof callID === "string" ? callID : "").slice(0, 8)}`;
}

/** Tools that only look; reads of files are in the list of files, too. */
const LOOKING_TOOLS = new Set(["read", "grep", "glob", "list", "ls", "codesearch"]);

function learnLook(draft: Draft, at: number, part: ToolPart, project: string): void {
  const command = part.tool === "bash" ? readText(readInput(part), "command") : undefined;
  const looks = command === undefined ? LOOKING_TOOLS.has(part.tool) : isLooking(command);
  if (!looks) return;
  draft.looks.set(part.tool, (draft.looks.get(part.tool) ?? 0) + 1);
  const asked = command ?? readText(readInput(part), "pattern", "query") ?? "";
  // The range of lines in "sed -n 1,20p" is no subject.
  for (const key of findSubjects(redactSecrets(asked).text.replace(/\bsed -n\s+\S+/g, "")))
    put(draft, "sought", { key, at: Math.max(at, draft.sought.get(key)?.at ?? at) });
  if (command === undefined || hasFailed(part)) return;
  const paths = findLookedAt(redactSecrets(command).text).slice(0, MOST_LOOKED_AT);
  const declared = paths.length === 1 ? findRead(part, paths[0] ?? "") : [];
  for (const path of paths) {
    const key = shortenPath(path, project);
    const known = draft.looked.get(key);
    const names = [...new Set([...declared, ...(known?.names ?? [])])].slice(0, CAPS.namesOfAFile);
    put(draft, "looked", { key, at: Math.max(at, known?.at ?? at), names });
  }
}

function learnCommand(draft: Draft, at: number, part: ToolPart): void {
  const input = readInput(part);
  const command = readText(input, "command");
  if (command === undefined) return;
  const key = toSafeLine(command, LONGEST_COMMAND);
  const known = draft.commands.get(key);
  const runs = (known?.runs ?? 0) + 1;
  const description = toSafeLine(readText(input, "description") ?? "", LONGEST_INPUT);
  const isNewest = !known || at >= known.at;
  put(
    draft,
    "commands",
    isNewest ? { key, at, exit: readExit(part), description, runs } : { ...known, runs },
  );
}

/** Records a failure, or that an earlier failure of the same call has since succeeded. */
function learnOutcome(draft: Draft, at: number, part: ToolPart): void {
  const isFailure = hasFailed(part);
  if (!isFailure && (draft.failures.size === 0 || part.state.status === "error")) return;
  const key = hashCall(part);
  const known = draft.failures.get(key);
  if (!isFailure) {
    if (known && known.at <= at && !known.laterSucceeded)
      put(draft, "failures", { ...known, laterSucceeded: true });
    return;
  }
  if (known && known.at > at) return;
  const exit = readExit(part);
  put(draft, "failures", {
    key,
    at,
    tool: part.tool,
    input: formatInput(part, LONGEST_INPUT),
    ...(exit !== null && part.tool === "bash" ? { exit } : {}),
    error: readFailureText(part),
    laterSucceeded: false,
  });
}

function readFailureText(part: ToolPart): string {
  if (mayShowSecrets(part)) return "";
  const { status, output, error } = part.state;
  if (status === "error")
    return typeof error === "string" ? toSafeLine(stripVTControlCharacters(error), LONGEST_ERROR) : "";
  return typeof output === "string" ? findErrorLine(output, { limit: LONGEST_OUTPUT_LINE }) : "";
}

function learnFile(draft: Draft, call: Fact, part: ToolPart, named: string): void {
  const { at } = call;
  const path = redactSecrets(named).text;
  const isEdit = isChangingTool(part.tool);
  const known = draft.files.get(path);
  const declared = isEdit ? findDeclaredNames(part, CAPS.namesOfAFile) : [];
  const names = [...new Set([...(known?.names ?? []), ...declared])].slice(0, CAPS.namesOfAFile);
  const lines = isEdit ? readChangedLines(part, named) : undefined;
  if (lines) {
    const what = toSafeLine(describeChange(lines), LONGEST_INPUT);
    put(draft, "changes", { key: `${call.key}:${path}`, at, path, what });
  }
  const fresh = lines
    ? findNames([...lines.added, ...lines.removed].join("\n"), CAPS.touchedOfAFile)
    : findRead(part, path);
  const isNewest = at >= (known?.at ?? at);
  const all = isNewest ? [...fresh, ...(known?.touched ?? [])] : [...(known?.touched ?? []), ...fresh];
  const touched = [...new Set(all)].slice(0, CAPS.touchedOfAFile);
  put(draft, "files", {
    key: path,
    at: Math.max(at, known?.at ?? at),
    isRead: !isEdit || known?.isRead === true,
    isEdited: isEdit || known?.isEdited === true,
    names,
    ...(touched.length > 0 && { touched }),
  });
  if (isEdit && PLAN.test(path) && at >= (draft.plan?.at ?? at)) draft.plan = { path, at };
}

/** Text and data: what looks like a declaration in them is none. */
const PROSE = /\.(?:md|mdx|txt|log|json|jsonl|ya?ml|csv|html?)$/i;

/** What a file that was read declares. */
function findRead(part: ToolPart, path: string): string[] {
  const { output } = part.state;
  if (PROSE.test(path) || typeof output !== "string" || mayShowSecrets(part)) return [];
  return findDeclaredIn(output, CAPS.namesOfAFile).filter((name) => redactSecrets(name).text === name);
}

function learnTodos(draft: Draft, at: number, part: ToolPart): void {
  const { todos } = readInput(part);
  if (!Array.isArray(todos) || (draft.todos && draft.todos.at > at)) return;
  const items = todos.flatMap((todo: unknown) => {
    const { content, priority, status } = isRecord(todo) ? todo : {};
    if (typeof content !== "string" || content.trim() === "") return [];
    return {
      content: toSafeLine(content, LONGEST_TODO),
      status: typeof status === "string" ? toSafeLine(status, 20) : "pending",
      ...(typeof priority === "string" && { priority: toSafeLine(priority, 20) }),
    };
  });
  draft.todos = { at, items: items.slice(0, CAPS.todos) };
}

function learnSkill(draft: Draft, at: number, part: ToolPart): void {
  const name = readText(readInput(part), "name");
  if (name === undefined) return;
  const key = toSafeLine(name, LONGEST_INPUT);
  put(draft, "skills", { key, at: Math.max(at, draft.skills.get(key)?.at ?? at) });
}

function learnSubagent(draft: Draft, at: number, key: string, part: ToolPart): void {
  const { output } = part.state;
  const description = toSafeLine(readText(readInput(part), "description", "prompt") ?? "", LONGEST_INPUT);
  const result = typeof output === "string" ? readSubagentResult(output) : "";
  put(draft, "subagents", { key, at, description, result });
}

/** A release without an item releases all. */
function learnLease(draft: Draft, at: number, part: ToolPart): void {
  const input = readInput(part);
  const op = readText(input, "op") ?? "claim";
  const item = readText(input, "item");
  if (op !== "claim" && op !== "renew" && op !== "release") return;
  for (const key of item === undefined ? [...draft.leases.keys()] : [toSafeLine(item, LONGEST_INPUT)]) {
    if ((draft.leases.get(key)?.at ?? at) > at) continue;
    put(draft, "leases", { key, at, isHeld: op !== "release" });
  }
}

/** One call may run several tasks. */
function learnForks(draft: Draft, at: number, key: string, part: ToolPart): void {
  const { output } = part.state;
  const reports = typeof output === "string" ? parseForkReports(output) : [];
  for (const [index, { answer, files, task }] of reports.entries())
    put(draft, "subagents", {
      key: `${key}:${index}`,
      at,
      description: toSafeLine(task, LONGEST_INPUT),
      result: toSafeLine(answer, LONGEST_RESULT),
      files,
    });
}

/** The host puts a subagent's result between tags, with its own remarks around them. */
function readSubagentResult(output: string): string {
  const tagged = /<(?:task_result|subagent [^>]*)>([\s\S]*?)(?:<\/(?:task_result|subagent)>|$)/.exec(
    output,
  )?.[1];
  return toSafeLine(tagged ?? output, LONGEST_RESULT);
}

/* What an edit has changed, in a few words: "5433 → 5432". */

/** Lines of a file before and after an edit, those that are equal left out. */
interface ChangedLines {
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

/** Characters of an edit that are compared; a longer one says less than its file's name. */
const MOST_COMPARED = 8_000;
const LONGEST_SIDE = 60;
const LONGEST_LINE = 80;
const PATCHED_FILE = /^(?:\*\*\* (?:Add File|Update File|Move to): |\+\+\+ (?:b\/)?)([^\t\n]+)/;

/** The changed lines without secrets; nothing of files that hold them. `named` is the file as the call spells it. */
function readChangedLines(part: ToolPart, named: string): ChangedLines {
  if (mayShowSecrets(part)) return { removed: [], added: [] };
  const input = readInput(part);
  const patch = readText(input, "patchText", "patch");
  // The host's diff has whole lines, by whose words a secret is known.
  const { diff } = part.state.metadata ?? {};
  const text = patch === undefined ? diff : findInPatch(patch, named);
  if (typeof text === "string") {
    const lines = toSafeLines(text).filter((line) => !/^(?:---|\+\+\+) /.test(line));
    const of = (mark: string): string[] =>
      lines.filter((line) => line.startsWith(mark)).map((line) => line.slice(1));
    return withoutEqual(of("-"), of("+"));
  }
  const edits = Array.isArray(input.edits) ? input.edits : [input];
  const of = (...names: string[]): string[] =>
    edits.flatMap((edit) => toSafeLines(readText(isRecord(edit) ? edit : {}, ...names) ?? ""));
  return withoutEqual(of("oldString", "old_string"), of("newString", "new_string"));
}

const toSafeLines = (text: string): string[] => redactSecrets(cut(text, MOST_COMPARED)).text.split("\n");

/** The part of a patch that is about this file. */
function findInPatch(patch: string, named: string): string {
  const lines = patch.split("\n");
  const start = lines.findIndex((line) => {
    const path = PATCHED_FILE.exec(line)?.[1]?.trim();
    return path !== undefined && (named.endsWith(path) || path.endsWith(named));
  });
  if (start === -1) return "";
  const end = lines.findIndex((line, index) => index > start && /^\*\*\* |^--- /.test(line));
  return lines.slice(start + 1, end === -1 ? undefined : end).join("\n");
}

function withoutEqual(removed: readonly string[], added: readonly string[]): ChangedLines {
  const [before, after] = [removed, added].map((lines) => new Set(["", ...lines.map((line) => line.trim())]));
  return {
    removed: removed.filter((line) => !after?.has(line.trim())),
    added: added.filter((line) => !before?.has(line.trim())),
  };
}

/** What has become of what, or the first line that is new; `""` where that says nothing. */
function describeChange({ added, removed }: ChangedLines): string {
  const [from, to] = [removed[0], added[0]];
  if (from !== undefined && to !== undefined && removed.length === added.length) {
    const words = compareWords(from.trim(), to.trim());
    if (words !== undefined) return words;
  }
  const [come, gone] = [added.find(isCode), removed.find(isCode)];
  if (come !== undefined) return toLine(`+ ${come.trim()}`, LONGEST_LINE);
  return gone === undefined ? "" : toLine(`- ${gone.trim()}`, LONGEST_LINE);
}

/** Not a comment, an import or a bracket. */
const isCode = (line: string): boolean =>
  /\w{3}/.test(line) &&
  !/^\s*(?:<{7}|={7}|>{7}|\/\/|\/?\*|#|--|<!--|import\b|from\b|use\b|package\b|["'`][\w@./-]+["'`],?\s*$)/.test(
    line,
  );

/** The words in which two lines differ; `undefined` where these are too many to be read. */
function compareWords(from: string, to: string): string | undefined {
  const [before, after] = [splitWords(from), splitWords(to)];
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start++;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  const between = (words: readonly string[]): string =>
    words
      .slice(start, words.length - end)
      .join("")
      .trim();
  const [gone, come] = [between(before), between(after)];
  if (gone.length > LONGEST_SIDE || come.length > LONGEST_SIDE || gone + come === "") return undefined;
  if (gone === "") return `+ ${come}`;
  return come === "" ? `- ${gone}` : `${gone} → ${come}`;
}

const splitWords = (line: string): string[] => line.match(/[\w$.]+|\s+|[^\w\s$.]/g) ?? [];
