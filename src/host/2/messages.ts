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
  type CallFacts,
  findStoredCall,
  isOwnAnswer,
  joinTexts,
  makeCall,
  type RequestFacts,
  readCheckpoint,
  readInfo,
  writeInput,
} from "./stored.js";

export interface ReadRequest {
  /** As layers read them, without Strata's answers to slash commands. */
  readonly messages: readonly Message[];
  /** The host's messages for this view; `undefined` if there is no safe way back. */
  write(view: readonly Message[]): TheirMessage[] | undefined;
}

/** One of Strata's messages, and the host's messages that it was made from. */
interface Unit {
  readonly theirs: readonly TheirMessage[];
  readonly message: Message;
  /** What each part was made from. */
  readonly origins: ReadonlyMap<Part, TheirPart>;
  /** Result of each call, by call id. */
  readonly results: ReadonlyMap<string, TheirPart>;
  /** Of a checkpoint. */
  readonly frame?: Frame;
}

/** The host's text around the summary in a checkpoint, which a rewritten summary keeps. */
interface Frame {
  readonly summary: Part;
  readonly before: string;
  readonly after: string;
}

type FindStored = (id: string) => StoredMessage | undefined;

export function readRequest(
  theirs: readonly TheirMessage[],
  findStored: FindStored,
  facts: RequestFacts,
): ReadRequest {
  const { head, groups } = group(theirs);
  const units = groups.map((one) => readUnit(one, findStored, facts));
  // Strata's answers to slash commands are for people only.
  const isShown = ({ message: { info }, theirs: own }: Unit): boolean =>
    own.length > 1 || !isOwnAnswer(findStored(info.id));
  const shown = units.filter(isShown);
  return {
    messages: shown.map(({ message }) => message),
    write: (view) => writeAll(view, head, shown),
  };
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

function readUnit(theirs: readonly TheirMessage[], findStored: FindStored, facts: RequestFacts): Unit {
  const [first] = theirs as [TheirMessage];
  const id = typeof first.id === "string" ? first.id : "";
  const known = findStored(id);
  const isFitting = (first.role === "assistant") === (known?.type === "assistant");
  const fitting = isFitting ? known : undefined;
  const isCheckpoint = fitting?.type === "compaction";
  const checkpoint = isCheckpoint ? readCheckpointUnit(theirs, fitting, facts) : undefined;
  if (checkpoint) return checkpoint;
  // A provider's own checkpoint has no summary that layers could check.
  const stored = isCheckpoint ? { ...fitting, type: "synthetic" } : fitting;
  const info = readInfo(id, first.role, stored, facts);
  const results = findResults(theirs);
  const origins = new Map<Part, TheirPart>();
  const parts: Part[] = [];
  for (const part of first.content) {
    const read =
      first.role === "user" ? readUsersPart(part, stored) : readAnswersPart(part, { stored, results });
    if (!read) continue;
    parts.push(read);
    origins.set(read, part);
  }
  const hasMore = first.role === "user" && first.content.length > parts.length;
  const message: Message = { info, parts: hasMore ? [...parts, { ...ATTACHED }] : parts };
  return { theirs, message, origins, results };
}

/** A checkpoint: its summary, which layers check, in the host's text around it. */
function readCheckpointUnit(theirs: readonly TheirMessage[], stored: StoredMessage, facts: RequestFacts) {
  const [first] = theirs as [TheirMessage];
  const [text = "", { summary = "" }] = [first.content[0]?.text, stored];
  const start = text.startsWith(CHECKPOINT) ? text.indexOf(`<summary>\n${summary}\n</summary>`) : -1;
  if (start === -1) return undefined;
  const from = start + "<summary>\n".length;
  const [before, after] = [text.slice(0, from), text.slice(from + summary.length)];
  const [part, rest] = readCheckpoint(stored, before + after) as [Part, Part];
  const parts = [part, rest, ...first.content.slice(1).map(() => ({ ...ATTACHED }))];
  const message = { info: readInfo(first.id ?? "", first.role, stored, facts), parts };
  const origins = new Map([[part, first.content[0] as TheirPart]]);
  const frame = { summary: part, before, after };
  return { theirs, message, origins, results: findResults(theirs), frame };
}

/** Only what the stored message says is the user's own; the host adds attachments and skills. */
function readUsersPart({ text, type }: TheirPart, stored: StoredMessage | undefined): Part | undefined {
  if (type !== "text" || typeof text !== "string") return undefined;
  if (stored?.type === "user") return stored.text === text ? { type, text } : undefined;
  return { type, text, synthetic: true };
}

interface AnswerFacts extends Pick<Unit, "results"> {
  stored: StoredMessage | undefined;
}

function readAnswersPart(part: TheirPart, facts: AnswerFacts): Part | undefined {
  const { text, type } = part;
  if (type === "text" || type === "reasoning")
    return typeof text === "string" && text !== "" ? { type, text } : undefined;
  return type === "tool-call" ? readCall(part, facts) : undefined;
}

/** A call with its result. `undefined` if the provider ran it: layers leave it alone. */
function readCall(part: TheirPart, { results, stored }: AnswerFacts): ToolPart | undefined {
  const { id, input, name } = part;
  if (typeof id !== "string" || typeof name !== "string" || part.providerExecuted === true) return undefined;
  const result = results.get(id);
  const { status = "running", texts } = (result && readResult(result)) ?? {};
  return makeCall({ id, name, input, status, texts, stored: findStoredCall(stored, id) });
}

/** `texts` is empty if the model sees something other than a text. */
function readResult({ result }: TheirPart): Pick<CallFacts, "status" | "texts"> | undefined {
  if (!isRecord(result)) return undefined;
  const { type, value } = result;
  if (type === "error") return { status: "error", texts: { error: readError(value) } };
  const content = type === "content" && Array.isArray(value) ? value : undefined;
  const output = type === "text" && typeof value === "string" ? value : joinTexts(content);
  const attachments = content?.filter((item) => isRecord(item) && item.type !== "text") ?? [];
  return {
    status: "completed",
    texts: { output, ...(attachments.length > 0 && { attachments }) },
  };
}

/** Results in the unit's tool messages, by call. */
function findResults(theirs: readonly TheirMessage[]): Map<string, TheirPart> {
  const parts = theirs.filter(({ role }) => role === "tool").flatMap(({ content }) => content);
  return new Map(
    parts.flatMap((part) =>
      part.type === "tool-result" && typeof part.id === "string" ? [[part.id, part] as const] : [],
    ),
  );
}

function writeAll(view: readonly Message[], head: readonly TheirMessage[], units: readonly Unit[]) {
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
    const updates = findUpdates(units.slice(next, number ?? next).flatMap(({ theirs }) => theirs));
    // Of an answer that was dropped nothing is left.
    written.push(...(first ? [first] : []), ...updates, ...rest);
    if (number !== undefined) next = number + 1;
  }
  return written;
}

const findUpdates = (theirs: readonly TheirMessage[]): TheirMessage[] =>
  theirs.filter(({ role }) => role === "system");

/** A message that layers have added, such as the notes before an answer. */
function makeMessage({ info, parts }: Message): TheirMessage[] | undefined {
  if (info.role !== "user" || parts.length === 0) return undefined;
  const content = parts.flatMap(({ text, type }) =>
    type === "text" && text !== undefined ? [{ type: "text", text }] : [],
  );
  if (content.length !== parts.length || parts.some(isToolPart)) return undefined;
  return [{ role: "user", content }];
}

/** Texts that layers have added to a message. */
type Added = Record<"before" | "behind", string[]>;

/** The changed parts of a unit; `undefined` for a part that is left out. */
type Edits = Map<TheirPart | undefined, TheirPart | undefined>;

/** `undefined` if there is no safe way back. */
function writeUnit(unit: Unit | undefined, view: Message): TheirMessage[] | undefined {
  if (!unit) return undefined;
  if (view === unit.message || view.parts === unit.message.parts) return [...unit.theirs];
  if (!unit.frame && isDropped(unit, view)) return writeDropped(unit, view);
  const edits: Edits = new Map();
  const added: Added = { before: [], behind: [] };
  const kept = new Set<Part>();
  const frame = unit.frame && !view.parts.includes(unit.frame.summary) ? unit.frame : undefined;
  for (const part of view.parts) {
    const original = findOriginal(unit, part);
    if (original) {
      kept.add(original);
      if (original !== part && !editCall(unit, { original, part }, edits)) return undefined;
    } else if (frame && !kept.has(frame.summary) && part.type === "text") {
      kept.add(frame.summary);
      const { after, before: lead, summary } = frame;
      const text = `${lead}${part.text ?? ""}${after}`;
      edits.set(unit.origins.get(summary), { type: "text", ...unit.origins.get(summary), text });
    } else if (part.type === "text" && part.text !== undefined) {
      added[kept.size === 0 ? "before" : "behind"].push(part.text);
    } else return undefined;
  }
  for (const part of unit.message.parts) {
    const origin = unit.origins.get(part);
    if (kept.has(part) || !origin) continue;
    // A call is never separated from its result.
    if (part.type !== "text") return undefined;
    edits.set(origin, undefined);
  }
  return apply(unit, edits, added);
}

/** Nothing of the answer is left, and at most texts stand in its place. */
function isDropped(unit: Unit, { info, parts }: Message): boolean {
  return (
    info.role === "assistant" &&
    unit.message.parts.length > 0 &&
    parts.every((part) => part.type === "text" && part.text !== undefined && !findOriginal(unit, part))
  );
}

/** Calls go with their results; instruction updates between them still hold. */
function writeDropped({ theirs }: Unit, { parts }: Message): TheirMessage[] {
  const updates = findUpdates(theirs);
  const [first] = theirs;
  if (!first || parts.length === 0) return updates;
  const content = parts.map(({ text = "" }) => ({ type: "text", text }));
  return [{ ...first, content }, ...updates];
}

/** The part of the unit that this one is, or was made from. */
function findOriginal({ message }: Unit, part: Part): Part | undefined {
  if (message.parts.includes(part)) return part;
  if (!isToolPart(part)) return undefined;
  return message.parts.find((one) => isToolPart(one) && one.callID === part.callID && one.tool === part.tool);
}

/** Enters what has changed of a call; `false` if it cannot be written. */
function editCall(
  { origins, results }: Unit,
  { original, part }: { original: Part; part: Part },
  edits: Edits,
): boolean {
  if (!isToolPart(original) || !isToolPart(part)) return false;
  const call = origins.get(original);
  if (!call) return false;
  const { input } = part.state;
  if (input !== original.state.input) {
    if (!isRecord(input)) return false;
    edits.set(call, { ...call, input: writeInput(call.name ?? "", input, call.input) });
  }
  const text = readText(part);
  if (text === readText(original)) return true;
  const result = results.get(part.callID);
  const written = result && text !== undefined ? writeResult(result, text) : undefined;
  if (written) edits.set(result, written);
  return written !== undefined;
}

const readText = ({ state }: ToolPart): string | undefined =>
  state.status === "error" ? state.error : state.output;

/** The result with another text, in the form that it has; files in it stay. */
function writeResult(part: TheirPart, text: string): TheirPart | undefined {
  const { result } = part;
  if (!isRecord(result)) return undefined;
  const { type, value } = result;
  const withValue = (changed: unknown): TheirPart => ({ ...part, result: { type, value: changed } });
  if (typeof value === "string" && type === "text") return withValue(text);
  if (type === "content" && Array.isArray(value)) return withValue(withText(value, text));
  if (type !== "error" || readError(value) === undefined || !isRecord(value) || !isRecord(value.error))
    return undefined;
  return withValue({ ...value, error: { ...value.error, message: text } });
}

/** The first text gets it, the others go. */
function withText(content: readonly unknown[], text: string): unknown[] {
  const isText = (item: unknown): item is object => isRecord(item) && item.type === "text";
  const first = content.findIndex(isText);
  return content.flatMap((item, index) => {
    if (!isText(item)) return [item];
    return index === first ? [{ ...item, text }] : [];
  });
}

function apply({ theirs }: Unit, edits: Edits, added: Added): TheirMessage[] | undefined {
  const written = theirs.map((message, at) => {
    const isChanged = message.content.some((part) => edits.has(part));
    const hasMore = at === 0 && added.before.length + added.behind.length > 0;
    if (!isChanged && !hasMore) return message;
    const left = message.content.flatMap((part) => (edits.has(part) ? (edits.get(part) ?? []) : [part]));
    const content = at === 0 ? withTexts(left, added) : left;
    return { ...message, content };
  });
  return written.some(({ content }) => content.length === 0) ? undefined : written;
}

/**
 * Some providers join the texts of a message without a separator, so added texts bring an empty line. Text must not
 * follow a tool call, so an answer with calls gets it before the first one.
 */
function withTexts(content: readonly TheirPart[], { before, behind }: Added): TheirPart[] {
  const isFollowed = content.some(({ type }) => type === "text");
  const lead = before.map((text, index) => ({
    type: "text",
    text: isFollowed || index < before.length - 1 ? `${text}\n\n` : text,
  }));
  const tail = behind.map((text) => ({ type: "text", text: `\n\n${text}` }));
  const firstCall = content.findIndex(({ type }) => type === "tool-call");
  const at = firstCall === -1 ? content.length : firstCall;
  return [...lead, ...content.slice(0, at), ...tail, ...content.slice(at)];
}

/** The text of a failure. */
function readError(value: unknown): string | undefined {
  const message = isRecord(value) && isRecord(value.error) ? value.error.message : undefined;
  return typeof message === "string" ? message : undefined;
}
