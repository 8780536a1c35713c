/**
 * Reads sessions that somebody recorded, whichever program they worked with:
 *
 *     Claude Code    ~/.claude/projects/PROJECT/ID.jsonl         lines with "sessionId" and "message"
 *     Codex          ~/.codex/sessions/…/rollout-….jsonl         lines with "type" and "payload"
 *     pi             ~/.pi/agent/sessions/--PROJECT--/….jsonl    a line {"type": "session"}, then a tree of entries
 *     OpenCode       the file that `opencode export ID` writes   {info, messages}
 *
 * and the form of recorded-session.ts. Tools get OpenCode's names and fields; one that it lacks is `other`.
 */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { isRecord, type PlainRecord, parseJson } from "../../src/base/shape.js";
import { isExportedMessage, readExportedSession } from "../../src/host/1/past-sessions.js";
import { isSummary, isToolPart } from "../../src/io/message.js";
import { readExit, readOwnTexts } from "../../src/messages/call.js";
import {
  type RecordedCall,
  type RecordedSession,
  type RecordedTurn,
  readRecorded,
} from "./recorded-session.js";

const EXTENSION = /\.jsonl?$/;

/** Sessions of a file, or of a folder and those in it: all of them or those named, in order of their names. */
export function readSessions(place: string, names: readonly string[] = []): RecordedSession[] {
  const isFile = statSync(place).isFile();
  const paths = isFile ? [place] : readdirSync(place, { recursive: true, encoding: "utf8" }).sort();
  const found = paths
    .filter((path) => EXTENSION.test(path))
    .map((path) => ({
      path: isFile ? path : join(place, path),
      name: basename(path).replace(EXTENSION, ""),
    }));
  const missing = names.filter((name) => !found.some((one) => one.name === name));
  if (found.length === 0 || missing.length > 0)
    throw new Error(
      `${place} has no session ${missing.join(", ")}; it has: ${found.map(({ name }) => name).join(", ") || "no .json or .jsonl file"}`,
    );
  return found
    .filter(({ name }) => names.length === 0 || names.includes(name))
    .map(({ name, path }) => ({ ...readSession(path), id: name }));
}

/** Throws if the file is none. */
export function readSession(path: string): RecordedSession {
  const text = readFileSync(path, "utf8");
  const whole = parseJson(text);
  if (isRecord(whole) && Array.isArray(whole.messages)) return readExport(whole, path);
  if (isRecord(whole) && "turns" in whole) return readRecorded(whole, path);
  const lines = text.split("\n").map((line) => parseJson(line));
  const entries = lines.filter(isRecord);
  if (entries.some(({ type, payload }) => type === "session_meta" && isRecord(payload)))
    return readCodex(entries);
  if (entries[0]?.type === "session") return readPi(entries);
  if (entries.some(({ sessionId, message }) => typeof sessionId === "string" && isRecord(message)))
    return readClaude(entries);
  throw new Error(
    `${path} is no recorded session: expected Claude Code's, Codex's or pi's JSON Lines, a file of opencode export, or {id, cwd, turns}`,
  );
}

/** Collects turns, with results that come after their calls. */
function createTurns() {
  const turns: RecordedTurn[] = [];
  const calls = new Map<string, RecordedCall>();
  let answerID: string | undefined;
  return {
    turns,
    ask(user: string, at?: number): void {
      answerID = undefined;
      if (user.trim() !== "") turns.push({ user, at, steps: [] });
    },
    /** Parts with one id are one answer. */
    answer(
      id: string | undefined,
      at: number | undefined,
      say: string,
      made: [id: string, RecordedCall][],
    ): void {
      const turn = turns.at(-1);
      if (!turn || (say === "" && made.length === 0)) return;
      const last = id !== undefined && id === answerID ? turn.steps.at(-1) : undefined;
      answerID = id;
      const step = last ?? { at, say: "", calls: [] };
      if (!last) turn.steps.push(step);
      step.say = [step.say, say].filter(Boolean).join("\n\n");
      for (const [callID, call] of made) {
        step.calls.push(call);
        calls.set(callID, call);
      }
    },
    /** What a call answered; codes of exit are commands'. */
    result(callID: unknown, result: string, error = false, exit?: number): void {
      const call = calls.get(String(callID));
      if (call) Object.assign(call, { result, ...(error && { error }), ...(exit !== undefined && { exit }) });
    },
  };
}

const readTime = (value: unknown): number | undefined => {
  const at = typeof value === "number" ? value : Date.parse(String(value));
  return Number.isFinite(at) ? at : undefined;
};

/** The texts of a message's content, which may be one text. */
function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .filter(isRecord)
    .map(({ text }) => (typeof text === "string" ? text : ""))
    .filter(Boolean)
    .join("\n");
}

const partsOf = (content: unknown): PlainRecord[] => (Array.isArray(content) ? content.filter(isRecord) : []);

/* Claude Code. An answer is several lines with one message id; a subagent's lines are not the session's. */

function readClaude(entries: readonly PlainRecord[]): RecordedSession {
  const all = createTurns();
  for (const { isCompactSummary, isMeta, isSidechain, message, timestamp, type } of entries) {
    // The host of this bench makes summaries of its own.
    const isOthers = [isCompactSummary, isMeta, isSidechain].includes(true);
    if (isOthers || !isRecord(message)) continue;
    const { content, id } = message;
    const at = readTime(timestamp);
    if (type === "assistant") {
      const say = partsOf(content).filter((part) => part.type === "text");
      const made = partsOf(content).filter((part) => part.type === "tool_use");
      all.answer(
        typeof id === "string" ? id : undefined,
        at,
        textOf(say),
        made.map(({ id: callID, input, name }) => [String(callID), toCall(name, input, CLAUDE)]),
      );
      continue;
    }
    const results = partsOf(content).filter((part) => part.type === "tool_result");
    for (const { content: result, is_error, tool_use_id } of results)
      all.result(tool_use_id, textOf(result), is_error === true);
    if (type === "user" && results.length === 0) all.ask(textOf(content), at);
  }
  const named = entries.find(({ cwd }) => typeof cwd === "string");
  return { id: String(entries[0]?.sessionId ?? "claude"), cwd: String(named?.cwd ?? ""), turns: all.turns };
}

/** A tool's name in OpenCode, and its fields by the names that it has elsewhere. */
type Names = Readonly<Record<string, readonly [tool: string, fields?: Readonly<Record<string, string>>]>>;

const FILE = { file_path: "filePath", path: "filePath" };
const EDIT = {
  ...FILE,
  ...{ old_string: "oldString", new_string: "newString", replace_all: "replaceAll" },
  ...{ oldText: "oldString", newText: "newString" },
};

const CLAUDE: Names = {
  Read: ["read", FILE],
  Edit: ["edit", EDIT],
  MultiEdit: ["edit", EDIT],
  Write: ["write", FILE],
  Bash: ["bash"],
  Grep: ["grep", { glob: "include" }],
  Glob: ["glob"],
  LS: ["list"],
  TodoWrite: ["todowrite"],
  WebFetch: ["webfetch"],
  WebSearch: ["websearch"],
  Task: ["task"],
  Agent: ["task"],
};

/** Several edits in one call become one of all their lines. */
function toCall(name: unknown, given: unknown, names: Names): RecordedCall {
  const input = isRecord(given) ? given : {};
  const [tool, fields = {}] = names[String(name)] ?? [];
  if (tool === undefined) return { tool: "other", name: String(name), args: { input }, result: "" };
  const { edits, ...own } = input;
  const renamed = [own, ...partsOf(edits)].map((one) =>
    Object.fromEntries(Object.entries(one).map(([field, value]) => [fields[field] ?? field, value])),
  );
  const args: PlainRecord = { ...renamed[0] };
  for (const field of ["oldString", "newString"])
    if (Array.isArray(edits)) args[field] = renamed.flatMap((one) => one[field] ?? []).join("\n");
  return { tool, args, result: "" };
}

/* Codex. */

const CODEX: Names = {
  shell: ["bash"],
  exec_command: ["bash"],
  shell_command: ["bash"],
  apply_patch: ["apply_patch"],
};
/** What the program itself says in the user's name. */
const CODEX_OWN =
  /^\s*<(environment_context|user_instructions|permissions|INSTRUCTIONS|turn_aborted)|^# AGENTS\.md/;

function readCodex(entries: readonly PlainRecord[]): RecordedSession {
  const all = createTurns();
  let answers = 0;
  let meta: PlainRecord = {};
  for (const { payload, timestamp, type } of entries) {
    if (!isRecord(payload)) continue;
    if (type === "session_meta") meta = { ...payload, ...meta };
    if (type !== "response_item") continue;
    const at = readTime(timestamp);
    const { call_id, content, output, role } = payload;
    const id = `answer_${answers}`;
    if (payload.type === "message" && role === "user" && !CODEX_OWN.test(textOf(content)))
      all.ask(textOf(content), at);
    if (payload.type === "message" && role === "assistant") all.answer(id, at, textOf(content), []);
    if (payload.type === "function_call" || payload.type === "custom_tool_call")
      all.answer(id, at, "", [[String(call_id), toCodexCall(payload)]]);
    if (payload.type === "function_call_output" || payload.type === "custom_tool_call_output") {
      all.result(call_id, ...readOutput(output));
      answers++;
    }
  }
  return { id: String(meta.id ?? "codex"), cwd: String(meta.cwd ?? ""), turns: all.turns };
}

function toCodexCall({ arguments: given, input, name }: PlainRecord): RecordedCall {
  if (name === "apply_patch" && typeof input === "string")
    return { tool: "apply_patch", args: { patchText: input }, result: "" };
  const args = parseJson(String(given ?? "{}"));
  const call = toCall(name, args, CODEX);
  if (call.tool !== "bash" || !isRecord(args)) return call;
  const told = args.command ?? args.cmd;
  const command = Array.isArray(told) ? told.slice(told[1] === "-lc" ? 2 : 0).join(" ") : String(told ?? "");
  return { tool: "bash", args: { command, description: "" }, result: "" };
}

/** Older versions wrap the text and its exit code in JSON. */
function readOutput(output: unknown): [result: string, error: boolean, exit?: number | undefined] {
  const whole = typeof output === "string" ? parseJson(output) : output;
  if (!isRecord(whole)) return [typeof output === "string" ? output : textOf(output), false];
  const exit = isRecord(whole.metadata) ? whole.metadata.exit_code : undefined;
  return [textOf(whole.output ?? whole.content), false, typeof exit === "number" ? exit : undefined];
}

/* pi: a tree, of which the way from the last entry to the root was sent. */

const PI: Names = {
  read: ["read", FILE],
  edit: ["edit", EDIT],
  write: ["write", FILE],
  bash: ["bash"],
  grep: ["grep", { glob: "include" }],
  find: ["glob"],
  ls: ["list"],
};

function readPi(entries: readonly PlainRecord[]): RecordedSession {
  const [head = {}, ...rest] = entries;
  const all = createTurns();
  for (const { id, message, timestamp } of findBranch(rest)) {
    if (!isRecord(message)) continue;
    const { content, isError, role, toolCallId } = message;
    const at = readTime(message.timestamp ?? timestamp);
    if (role === "user") all.ask(textOf(content), at);
    if (role === "toolResult") all.result(toolCallId, textOf(content), isError === true);
    if (role !== "assistant") continue;
    const made = partsOf(content).filter((part) => part.type === "toolCall");
    const said = partsOf(content).filter((part) => part.type === "text");
    const calls = made.map((part): [string, RecordedCall] => [
      String(part.id),
      toCall(part.name, part.arguments, PI),
    ]);
    all.answer(String(id ?? at), at, textOf(said), calls);
  }
  return { id: String(head.id ?? "pi"), cwd: String(head.cwd ?? ""), turns: all.turns };
}

/** Files of version 1 are a line without branches. */
function findBranch(entries: readonly PlainRecord[]): readonly PlainRecord[] {
  if (entries.every(({ id }) => id === undefined)) return entries;
  const byID = new Map(entries.map((entry) => [entry.id, entry]));
  const branch: PlainRecord[] = [];
  for (let at = entries.at(-1); at && branch.length < entries.length; at = byID.get(at.parentId))
    branch.push(at);
  return branch.reverse();
}

/* OpenCode's own exports. */

function readExport({ info, messages }: PlainRecord, path: string): RecordedSession {
  const session = readExportedSession(info);
  if (!session || !Array.isArray(messages)) throw new Error(`${path} is no whole session: export it again`);
  const all = createTurns();
  for (const message of session.selectMessages(messages.filter(isExportedMessage))) {
    const { info: own, parts } = message;
    const at = own.time?.created;
    if (isSummary(message)) continue;
    if (own.role === "user") {
      all.ask(readOwnTexts(parts).join("\n\n"), at);
      continue;
    }
    const said = parts.flatMap(({ text = "", type }) => (type === "text" ? text : []));
    const made = parts.filter(isToolPart).flatMap((part): [string, RecordedCall][] => {
      const { error, input = {}, output, status } = part.state;
      const exit = readExit(part);
      const call = { tool: part.tool, args: { ...input }, result: String(output ?? error ?? "") };
      const more = { ...(status === "error" && { error: true }), ...(exit !== null && { exit }) };
      return /^(completed|error)$/.test(status) ? [[part.callID, { ...call, ...more }]] : [];
    });
    all.answer(own.id, at, said.join("\n\n"), made);
  }
  const directory = isRecord(info) ? info.directory : undefined;
  return { id: session.id, cwd: typeof directory === "string" ? directory : "", turns: all.turns };
}
