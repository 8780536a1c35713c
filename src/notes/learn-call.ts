/** What a finished tool call adds to the ledger. */
import { stripVTControlCharacters } from "node:util";
import type { ToolPart } from "../io/message.js";
import {
  findDeclaredIn,
  findDeclaredNames,
  findTouchedPaths,
  formatInput,
  isChangingTool,
  mayShowSecrets,
  readInput,
  readText,
  shortenPath,
} from "../messages/call.js";
import { findErrorLine } from "../messages/error-line.js";
import { hasFailed, hashCall, hashText, readExit } from "../messages/outcome.js";
import { redactSecrets } from "../text/secrets/secrets.js";
import { toSafeLine } from "../text/text.js";
import { type ChangedLines, describeChange, findChangedNames, readChangedLines } from "./changes.js";
import { type Draft, findLookedAt, isLooking, put } from "./draft.js";
import { parseForkReports } from "./fork-report.js";
import { CAPS, type Fact, type Todo } from "./ledger.js";
import { findSubjects } from "./names.js";

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
  // A range of lines names nothing.
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
  if (lines) put(draft, "changes", { key: `${call.key}:${path}`, at, path, what: describe(lines) });
  const fresh = lines ? findChangedNames(lines, CAPS.touchedOfAFile) : findRead(part, path);
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

/** Their words on functions declare none. */
const PROSE = /\.(?:md|mdx|txt|log|json|jsonl|ya?ml|csv|html?)$/i;

/** What a file that was read declares. */
function findRead(part: ToolPart, path: string): string[] {
  const { output } = part.state;
  if (PROSE.test(path) || typeof output !== "string" || mayShowSecrets(part)) return [];
  return findDeclaredIn(output, CAPS.namesOfAFile).filter((name) => redactSecrets(name).text === name);
}

const describe = (lines: ChangedLines): string => toSafeLine(describeChange(lines), LONGEST_INPUT);

function learnTodos(draft: Draft, at: number, part: ToolPart): void {
  const { todos } = readInput(part);
  if (!Array.isArray(todos) || (draft.todos && draft.todos.at > at)) return;
  draft.todos = { at, items: todos.flatMap((todo) => readTodo(todo) ?? []).slice(0, CAPS.todos) };
}

function readTodo(todo: unknown): Todo | undefined {
  if (typeof todo !== "object" || todo === null) return undefined;
  const { content, status, priority } = todo as Record<string, unknown>;
  if (typeof content !== "string" || content.trim() === "") return undefined;
  return {
    content: toSafeLine(content, LONGEST_TODO),
    status: typeof status === "string" ? toSafeLine(status, 20) : "pending",
    ...(typeof priority === "string" ? { priority: toSafeLine(priority, 20) } : {}),
  };
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
  const op = readText(input, "op");
  const item = readText(input, "item");
  if (op !== "claim" && op !== "renew" && op !== "release") return;
  for (const key of item === undefined ? [...draft.leases.keys()] : [toSafeLine(item, LONGEST_INPUT)]) {
    if ((draft.leases.get(key)?.at ?? at) > at) continue;
    put(draft, "leases", { key, at, isHeld: op !== "release" });
  }
}

/** One call may run several tasks. */
function learnForks(draft: Draft, at: number, key: string, part: ToolPart): void {
  for (const [index, { answer, files, task }] of parseForkReports(part.state.output ?? "").entries())
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
