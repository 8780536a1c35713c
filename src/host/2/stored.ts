/**
 * Stored messages of OpenCode 2: times, tokens, models and whose words they are, which the messages of a request lack.
 * Pure; anything of another shape counts as absent.
 */
import {
  anyObject,
  each,
  finite,
  isRecord,
  list,
  object,
  optional,
  type PlainRecord,
  string,
  unchecked,
} from "../../base/shape.js";
import type { Message, MessageInfo, Part, ReportedTokens, ToolPart } from "../../io/message.js";
import { RENAMED_TOOLS, type StoredMessage, type StoredPart } from "./contract.js";

/** Marks Strata's answers to slash commands among the stored messages. */
export const ANSWER_METADATA = { strata: "answer" } as const;

/** The stored messages of an answer by the host; `undefined` if it holds none of the documented shape. */
export function readStored(answer: unknown): StoredMessage[] | undefined {
  if (!Array.isArray(answer)) return undefined;
  const stored = answer.filter(isStored);
  return stored.length > 0 || answer.length === 0 ? stored : undefined;
}

const isStored = object<Pick<StoredMessage, "content" | "id" | "time" | "type">>({
  ...each(string, "id", "type"),
  time: object<StoredMessage["time"]>({ created: finite, ...each(unchecked, "streamed", "completed") }),
  content: optional(list(anyObject)),
});

export interface RequestFacts {
  sessionID: string;
  /** Of the request. */
  agent?: string;
  model?: MessageInfo["model"];
}

/** What layers read about a message; without a stored one, only what the request says. */
export function readInfo(
  id: string,
  role: string,
  stored: StoredMessage | undefined,
  facts: RequestFacts,
): MessageInfo {
  const { agent, model, sessionID } = facts;
  const { created, completed = stored?.time.streamed } = stored?.time ?? {};
  const time = created !== undefined && { time: { created, ...(completed !== undefined && { completed }) } };
  const tokens = isTokens(stored?.tokens) && { tokens: { reasoning: 0, ...stored?.tokens } };
  if (stored?.type === "compaction")
    return {
      ...{ id, sessionID, role: "assistant", summary: true, finish: "stop", ...tokens },
      ...(created !== undefined && { time: { created, completed: created } }),
      // Within a turn the host compacts without a user's message behind it: the model for the next answer is here.
      ...(model && { model }),
    };
  if (role === "assistant")
    return {
      ...{ id, sessionID, role, ...time, ...tokens },
      ...(stored?.agent !== undefined && { agent: stored.agent }),
      ...(stored?.model && { providerID: stored.model.providerID, modelID: stored.model.id }),
      ...(stored?.finish !== undefined && { finish: stored.finish }),
      ...(stored?.error !== undefined && { error: stored.error }),
    };
  return {
    ...{ id, sessionID, role, ...(created !== undefined && { time: { created } }) },
    ...(agent !== undefined && { agent }),
    ...(model && { model }),
  };
}

type Tokens = Omit<ReportedTokens, "reasoning"> & Partial<Pick<ReportedTokens, "reasoning">>;

const isTokens = object<Tokens>({
  ...each(finite, "input", "output"),
  reasoning: optional(finite),
  cache: object<Tokens["cache"]>(each(finite, "read", "write")),
});

export function findStoredCall(stored: StoredMessage | undefined, callID: string): StoredPart | undefined {
  return stored?.content?.find(({ id, type }) => type === "tool" && id === callID);
}

/** The host's last words of a shell result that it has cut: the file is named in no other place. */
const SAVED = /\n\[full output saved to (\/[^\n]+\/sh_\w+\.out)\](?![\s\S]*\n\[full output saved to )/;

/**
 * Metadata with OpenCode 1's names: the `sessionId` of a subagent, the `outputPath` of a result that was cut, no `exit` of
 * a command that a timeout ended. OpenCode 1 also sends other text for a call marked `interrupted`; OpenCode 2 does not.
 */
function readMetadata(part: StoredPart | undefined): PlainRecord {
  const metadata = part?.state?.metadata;
  if (!isRecord(metadata)) return {};
  const { interrupted: _, ...rest } = metadata;
  const saved =
    part?.name === "shell" && metadata.truncated === true
      ? SAVED.exec(joinTexts(part.state?.content) ?? "")?.[1]
      : undefined;
  return {
    ...rest,
    ...(typeof metadata.sessionID === "string" && { sessionId: metadata.sessionID }),
    ...(metadata.timeout === true && { exit: null }),
    ...(saved !== undefined && { outputPath: saved }),
  };
}

/** True for an answer to one of Strata's slash commands, which only people see. */
export function isOwnAnswer(stored: Pick<StoredMessage, "metadata"> | undefined): boolean {
  return stored?.metadata?.strata === ANSWER_METADATA.strata;
}

/** A session's stored messages as layers read them, without Strata's answers and what no model sees. */
export function toMessages(sessionID: string, all: readonly StoredMessage[]): Message[] {
  return all.flatMap((stored) => {
    const role = roleOf(stored);
    if (role === undefined || isOwnAnswer(stored)) return [];
    const parts = partsOf(stored);
    return parts.length === 0 ? [] : [{ info: readInfo(stored.id, role, stored, { sessionID }), parts }];
  });
}

const AS_USER = new Set(["user", "synthetic", "skill", "shell"]);

function roleOf({ status, type }: StoredMessage): string | undefined {
  if (AS_USER.has(type)) return "user";
  if (type === "assistant") return "assistant";
  return type === "compaction" && status === "completed" ? "assistant" : undefined;
}

/** Represents attachments and selected skills, which the user did not write. */
export const ATTACHED: Part = { type: "attached" };

function partsOf(stored: StoredMessage): Part[] {
  const { content = [], files = [], recent = "", skills = [], text = "", type } = stored;
  if (type === "assistant") return content.flatMap((part) => readPart(part) ?? []);
  if (type === "compaction") return readCheckpoint(stored, recent);
  const isUsers = type === "user";
  const own = text === "" ? [] : [{ type: "text", text, ...(!isUsers && { synthetic: true }) }];
  return files.length + skills.length > 0 ? [...own, ATTACHED] : own;
}

/**
 * A checkpoint as a summary, and what it has besides: the record of recent messages. OpenCode 1 has a part of that type
 * in the message before the summary.
 */
export function readCheckpoint({ reason, summary = "" }: StoredMessage, rest: string): Part[] {
  const others = { type: "compaction", auto: reason !== "manual", text: rest };
  return [{ type: "text", text: summary }, others];
}

/** A call that the provider ran is none of the layers' in a request either. */
function readPart(part: StoredPart): Part | undefined {
  const { text = "", type } = part;
  if (type === "text" || type === "reasoning") return text === "" ? undefined : { type, text };
  return type === "tool" && part.executed !== true ? readCall(part) : undefined;
}

function readCall(part: StoredPart): ToolPart | undefined {
  const { id, name, state } = part;
  if (typeof id !== "string" || typeof name !== "string" || !isRecord(state)) return undefined;
  const { input } = state;
  const status = state.status === "completed" || state.status === "error" ? state.status : "running";
  const output = status === "completed" ? joinTexts(state.content) : undefined;
  const isError = status === "error" && isRecord(state.error);
  const error = isError ? String((state.error as PlainRecord).message ?? "") : undefined;
  return makeCall({ id, name, input, status, texts: { output, error }, stored: part });
}

export interface CallFacts {
  id: string;
  name: string;
  input: unknown;
  status: ToolPart["state"]["status"];
  texts?:
    | { output?: string | undefined; error?: string | undefined; attachments?: readonly unknown[] }
    | undefined;
  stored: StoredPart | undefined;
}

/** A call as layers know it. */
export function makeCall({ id, input, name, status, stored, texts = {} }: CallFacts): ToolPart {
  const { created: start, completed: end } = stored?.time ?? {};
  const { attachments, error, output } = texts;
  return {
    type: "tool",
    tool: readToolName(name),
    callID: id,
    state: {
      status,
      ...(isRecord(input) && { input: readInput(name, input) }),
      ...(output !== undefined && { output }),
      ...(error !== undefined && { error }),
      ...(attachments && { attachments }),
      metadata: readMetadata(stored),
      ...(start !== undefined && { time: { start, ...(end !== undefined && { end }) } }),
    },
  };
}

/** The texts of a result's content; `undefined` without any, or if the content has another shape. */
export function joinTexts(content: unknown): string | undefined {
  if (!Array.isArray(content)) return undefined;
  const texts = content.flatMap((item) =>
    isRecord(item) && item.type === "text" && typeof item.text === "string" ? [item.text] : [],
  );
  return texts.length === 0 ? undefined : texts.join("\n");
}

/* Names of tools and their arguments: OpenCode 2's to those that layers know, and back. Pure. */

/** Arguments that have another name in OpenCode 1: by tool, OpenCode 2's and that. */
const RENAMED_ARGUMENTS: Readonly<Record<string, readonly [theirs: string, ours: string]>> = {
  read: ["path", "filePath"],
  edit: ["path", "filePath"],
  write: ["path", "filePath"],
  skill: ["id", "name"],
  subagent: ["agent", "subagent_type"],
};

/** `shell` → `bash`; other names stay. */
export function readToolName(name: string): string {
  return Object.hasOwn(RENAMED_TOOLS, name) ? (RENAMED_TOOLS[name] ?? name) : name;
}

/** `bash` → `shell`; other names stay. */
export function writeToolName(name: string): string {
  return Object.entries(RENAMED_TOOLS).find(([, ours]) => ours === name)?.[0] ?? name;
}

/** The call's arguments as layers know them; the same object if nothing differs. */
export function readInput(name: string, input: PlainRecord): PlainRecord {
  const [theirs, ours] = findRenamed(name);
  return ours in input ? input : rename(input, theirs, ours);
}

/** The inverse of `readInput`, for arguments that a layer has changed. */
export function writeInput(name: string, input: PlainRecord, original: unknown): PlainRecord {
  const [theirs, ours] = findRenamed(name);
  const wasRenamed = isRecord(original) && !(ours in original);
  return wasRenamed && !(theirs in input) ? rename(input, ours, theirs) : input;
}

const findRenamed = (name: string): readonly [theirs: string, ours: string] =>
  (Object.hasOwn(RENAMED_ARGUMENTS, name) && RENAMED_ARGUMENTS[name]) || ["", ""];

/** Keeps the order of the keys, which is part of the request's bytes. */
function rename(input: PlainRecord, from: string, to: string): PlainRecord {
  if (!Object.hasOwn(input, from)) return input;
  return Object.fromEntries(Object.entries(input).map(([key, value]) => [key === from ? to : key, value]));
}
