/**
 * Translates the messages of a request from OpenCode 2's form to Strata's and back.
 *
 *     theirs   user   assistant(text, call)   tool(result)   system   user
 *     ours     user   assistant(text, tool with its result) ────────  user
 *
 * Each of Strata's messages belongs to a unit: the host's messages that it was made from. A unit that no layer changed
 * goes back as the host's own objects; in a changed one only the changed parts are copied. Parts that layers do not
 * know stay in place. If there is no safe way back, the result is `undefined` and the request stays as it was. Pure:
 * the host's objects are never changed in place.
 */
import { isRecord } from "../../base/shape.js";
import { isToolPart, type Message, type MessageInfo, type Part, type ToolPart } from "../../io/message.js";
import { CHECKPOINT, type StoredMessage, type TheirMessage, type TheirPart } from "./contract.js";
import {
  ATTACHED,
  findStoredCall,
  isOwnAnswer,
  joinTexts,
  makeCall,
  type RequestFacts,
  readCheckpoint,
  readInfo,
} from "./stored.js";
import { type Place, readError, type Unit, writeUnit } from "./write-unit.js";

export interface ReadRequest {
  /** As layers read them, without Strata's answers to slash commands. */
  readonly messages: readonly Message[];
  /** The host's messages for this view; `undefined` if there is no safe way back. */
  write(view: readonly Message[]): TheirMessage[] | undefined;
}

/** `undefined` if a message has a shape that the contract does not allow. */
export function readRequest(
  theirs: unknown,
  findStored: (id: string) => StoredMessage | undefined,
  facts: RequestFacts,
): ReadRequest | undefined {
  if (!isMessageList(theirs)) return undefined;
  const { head, groups } = group(theirs);
  const units = groups.map((one) => readUnit(one, findStored, facts));
  const shown = units.filter((unit) => !isAnswer(unit, findStored));
  return {
    messages: shown.map(({ message }) => message),
    write: (view) => writeAll(view, { head, units: shown }),
  };
}

const ROLES = new Set(["system", "user", "assistant", "tool"]);

export function isMessageList(value: unknown): value is readonly TheirMessage[] {
  return (
    Array.isArray(value) &&
    value.every(
      (message) =>
        isRecord(message) &&
        typeof message.role === "string" &&
        ROLES.has(message.role) &&
        Array.isArray(message.content) &&
        message.content.every((part: unknown) => isRecord(part) && typeof part.type === "string"),
    )
  );
}

/** A user's or an assistant's message begins a unit; tool results and instruction updates belong to the one before. */
function group(theirs: readonly TheirMessage[]): { head: TheirMessage[]; groups: TheirMessage[][] } {
  const head: TheirMessage[] = [];
  const groups: TheirMessage[][] = [];
  for (const message of theirs) {
    const last = groups.at(-1);
    if (message.role === "user" || message.role === "assistant") groups.push([message]);
    else if (last) last.push(message);
    else head.push(message);
  }
  return { head, groups };
}

function readUnit(
  theirs: readonly TheirMessage[],
  findStored: (id: string) => StoredMessage | undefined,
  facts: RequestFacts,
): Unit {
  const [first] = theirs as [TheirMessage];
  const id = typeof first.id === "string" ? first.id : "";
  const known = id === "" ? undefined : findStored(id);
  const fitting = known && fits(first, known) ? known : undefined;
  const isCheckpoint = fitting?.type === "compaction";
  const checkpoint = isCheckpoint ? readCheckpointUnit(theirs, fitting, facts) : undefined;
  if (checkpoint) return checkpoint;
  // A provider's own checkpoint has no summary that layers could check.
  const stored = isCheckpoint ? { ...fitting, type: "synthetic" } : fitting;
  const info = readInfo(id, first.role, stored, facts);
  const results = findResults(theirs);
  const places = new Map<Part, Place>();
  const parts: Part[] = [];
  for (const [index, part] of first.content.entries()) {
    const read =
      first.role === "user"
        ? readUsersPart(part, stored)
        : readAnswersPart(part, { stored, theirs, results });
    if (!read) continue;
    parts.push(read);
    places.set(read, [0, index]);
  }
  const hasMore = first.role === "user" && first.content.length > parts.length;
  const message: Message = { info, parts: hasMore ? [...parts, { ...ATTACHED }] : parts };
  return { theirs, message, places, results };
}

/** A checkpoint: its summary, which layers check, in the host's text around it. */
function readCheckpointUnit(
  theirs: readonly TheirMessage[],
  stored: StoredMessage,
  facts: RequestFacts,
): Unit | undefined {
  const [first] = theirs as [TheirMessage];
  const [text = "", { summary = "" }] = [first.content[0]?.text, stored];
  const start = text.startsWith(CHECKPOINT) ? text.indexOf(`<summary>\n${summary}\n</summary>`) : -1;
  if (start === -1) return undefined;
  const from = start + "<summary>\n".length;
  const [before, after] = [text.slice(0, from), text.slice(from + summary.length)];
  const [part, rest] = readCheckpoint(stored, before + after) as [Part, Part];
  const parts = [part, rest, ...first.content.slice(1).map(() => ({ ...ATTACHED }))];
  const message = { info: readInfo(first.id ?? "", first.role, stored, facts), parts };
  const frame = { summary: part, before, after };
  return { theirs, message, places: new Map([[part, [0, 0]]]), results: findResults(theirs), frame };
}

/** Does the stored message of this id have the request's role? */
function fits({ role }: TheirMessage, { type }: StoredMessage): boolean {
  return (role === "assistant") === (type === "assistant");
}

/** Only what the stored message says is the user's own; the host adds attachments and skills. */
function readUsersPart({ text, type }: TheirPart, stored: StoredMessage | undefined): Part | undefined {
  if (type !== "text" || typeof text !== "string") return undefined;
  if (stored?.type === "user") return stored.text === text ? { type, text } : undefined;
  return { type, text, synthetic: true };
}

interface AnswerFacts extends Pick<Unit, "results" | "theirs"> {
  stored: StoredMessage | undefined;
}

function readAnswersPart(part: TheirPart, facts: AnswerFacts): Part | undefined {
  const { text, type } = part;
  if (type === "text" || type === "reasoning")
    return typeof text === "string" && text !== "" ? { type, text } : undefined;
  return type === "tool-call" ? readCall(part, facts) : undefined;
}

/** A call with its result. `undefined` if the provider ran it: layers leave it alone. */
function readCall(part: TheirPart, { results, stored, theirs }: AnswerFacts): ToolPart | undefined {
  const { id, input, name } = part;
  if (typeof id !== "string" || typeof name !== "string" || part.providerExecuted === true) return undefined;
  const at = results.get(id);
  const result = at && theirs[at[0]]?.content[at[1]];
  const { status = "running", texts } = (result && readResult(result)) ?? {};
  return makeCall({ id, name, input, status, texts, stored: findStoredCall(stored, id) });
}

interface ReadResult {
  status: "completed" | "error";
  /** Empty if the model sees something other than a text. */
  texts: { output?: string; error?: string; attachments?: readonly unknown[] };
}

function readResult({ result }: TheirPart): ReadResult | undefined {
  if (!isRecord(result)) return undefined;
  const { type, value } = result;
  if (type === "error") {
    const error = readError(value);
    return { status: "error", texts: error === undefined ? {} : { error } };
  }
  const content = type === "content" && Array.isArray(value) ? value : undefined;
  const output = type === "text" && typeof value === "string" ? value : joinTexts(content);
  const attachments = content?.filter((item) => isRecord(item) && item.type !== "text") ?? [];
  return {
    status: "completed",
    texts: { ...(output !== undefined && { output }), ...(attachments.length > 0 && { attachments }) },
  };
}

/** Results in the unit's tool messages, by call. */
function findResults(theirs: readonly TheirMessage[]): Map<string, Place> {
  const found = new Map<string, Place>();
  for (const [at, message] of theirs.entries()) {
    if (message.role !== "tool") continue;
    for (const [index, { id, type }] of message.content.entries())
      if (type === "tool-result" && typeof id === "string") found.set(id, [at, index]);
  }
  return found;
}

/** Strata's answer to a slash command, which the model must not see. */
function isAnswer({ message, theirs }: Unit, findStored: (id: string) => StoredMessage | undefined): boolean {
  const stored = findStored(message.info.id);
  return theirs.length === 1 && stored !== undefined && isOwnAnswer(stored);
}

interface Writing {
  head: readonly TheirMessage[];
  units: readonly Unit[];
}

function writeAll(view: readonly Message[], { head, units }: Writing): TheirMessage[] | undefined {
  const numbers = new Map<MessageInfo, number>(units.map(({ message }, number) => [message.info, number]));
  const written: TheirMessage[] = [...head];
  let next = 0;
  for (const message of view) {
    const number = numbers.get(message.info);
    if (number !== undefined && number < next) return undefined;
    const made = number === undefined ? makeMessage(message) : writeUnit(units[number], message);
    if (!made) return undefined;
    const [first, ...rest] = made;
    // Instruction updates in the history that was cut still hold.
    const updates = number === undefined ? [] : findUpdates(units.slice(next, number));
    // Of an answer that was dropped nothing is left.
    written.push(...(first ? [first] : []), ...updates, ...rest);
    if (number !== undefined) next = number + 1;
  }
  return written;
}

const findUpdates = (units: readonly Unit[]): TheirMessage[] =>
  units.flatMap(({ theirs }) => theirs.filter(({ role }) => role === "system"));

/** A message that layers have added, such as the notes before an answer. */
function makeMessage({ info, parts }: Message): TheirMessage[] | undefined {
  if (info.role !== "user" || parts.length === 0) return undefined;
  const content = parts.flatMap(({ text, type }) =>
    type === "text" && text !== undefined ? [{ type: "text", text }] : [],
  );
  if (content.length !== parts.length || parts.some(isToolPart)) return undefined;
  return [{ role: "user", content }];
}
