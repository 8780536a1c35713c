/** Writes a message that layers changed back into the host's messages. Pure. */
import { isRecord } from "../../base/shape.js";
import { isToolPart, type Message, type Part, type ToolPart } from "../../io/message.js";
import type { TheirMessage, TheirPart } from "./contract.js";
import { writeInput } from "./stored.js";

/** The changed parts of a unit by place; `undefined` for a part that is left out. */
type Edits = Map<string, TheirPart | undefined>;

const nameOf = ([message, part]: Place): string => `${message} ${part}`;

/** `undefined` if there is no safe way back. */
export function writeUnit(unit: Unit | undefined, view: Message): TheirMessage[] | undefined {
  if (!unit) return undefined;
  if (view === unit.message || view.parts === unit.message.parts) return [...unit.theirs];
  if (!unit.frame && isDropped(unit, view)) return writeDropped(unit, view);
  const edits: Edits = new Map();
  const before: string[] = [];
  const behind: string[] = [];
  const kept = new Set<Part>();
  const frame = unit.frame && !view.parts.includes(unit.frame.summary) ? unit.frame : undefined;
  for (const part of view.parts) {
    const original = findOriginal(unit, part);
    if (original) {
      kept.add(original);
      if (original !== part && !editCall(unit, { original, part }, edits)) return undefined;
    } else if (frame && !kept.has(frame.summary) && part.type === "text") {
      kept.add(frame.summary);
      edits.set(nameOf([0, 0]), writeSummary(unit, frame, part.text ?? ""));
    } else if (part.type === "text" && part.text !== undefined) {
      (kept.size === 0 ? before : behind).push(part.text);
    } else return undefined;
  }
  for (const part of unit.message.parts) {
    const place = unit.places.get(part);
    if (kept.has(part) || !place) continue;
    // A call is never separated from its result.
    if (part.type !== "text") return undefined;
    edits.set(nameOf(place), undefined);
  }
  return apply(unit, edits, { before, behind });
}

function writeSummary({ theirs }: Unit, { after, before }: Frame, text: string): TheirPart | undefined {
  const part = theirs[0]?.content[0];
  return part && { ...part, text: `${before}${text}${after}` };
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
  const updates = theirs.filter(({ role }) => role === "system");
  const [first] = theirs;
  if (!first || parts.length === 0) return updates;
  const content = parts.map(({ text = "" }) => ({ type: "text", text }));
  return [{ ...first, content }, ...updates];
}

/** The part of the unit that this one is, or was made from. */
function findOriginal({ message, places }: Unit, part: Part): Part | undefined {
  if (places.has(part) || message.parts.includes(part)) return part;
  if (!isToolPart(part)) return undefined;
  return message.parts.find((one) => isToolPart(one) && one.callID === part.callID && one.tool === part.tool);
}

/** Enters what has changed of a call; `false` if it cannot be written. */
function editCall(
  { places, results, theirs }: Unit,
  { original, part }: { original: Part; part: Part },
  edits: Edits,
): boolean {
  if (!isToolPart(original) || !isToolPart(part)) return false;
  const place = places.get(original);
  const call = place && theirs[place[0]]?.content[place[1]];
  if (!place || !call) return false;
  const { input } = part.state;
  if (input !== original.state.input) {
    if (!isRecord(input)) return false;
    edits.set(nameOf(place), { ...call, input: writeInput(call.name ?? "", input, call.input) });
  }
  const text = readText(part);
  if (text === readText(original)) return true;
  const at = results.get(part.callID);
  const result = at && theirs[at[0]]?.content[at[1]];
  const written = result && text !== undefined ? writeResult(result, text) : undefined;
  if (!at || !written) return false;
  edits.set(nameOf(at), written);
  return true;
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

function apply(
  { theirs }: Unit,
  edits: Edits,
  { before, behind }: { before: readonly string[]; behind: readonly string[] },
): TheirMessage[] | undefined {
  const written = theirs.map((message, at) => {
    const isChanged = message.content.some((_, index) => edits.has(nameOf([at, index])));
    const hasMore = at === 0 && before.length + behind.length > 0;
    if (!isChanged && !hasMore) return message;
    const left = message.content.flatMap((part, index) => {
      const name = nameOf([at, index]);
      return edits.has(name) ? (edits.get(name) ?? []) : [part];
    });
    const content = at === 0 ? withTexts(left, { before, behind }) : left;
    return { ...message, content };
  });
  return written.some(({ content }) => content.length === 0) ? undefined : written;
}

/**
 * Some providers join the texts of a message without a separator, so added texts bring an empty line. Text must not
 * follow a tool call, so an answer with calls gets it before the first one.
 */
function withTexts(
  content: readonly TheirPart[],
  { before, behind }: { before: readonly string[]; behind: readonly string[] },
): TheirPart[] {
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

/* Ties one of Strata's messages to the host's messages that it was made from. */

/** Position of a part in its unit: the message's index, and the part's index in that message. */
export type Place = readonly [message: number, part: number];

export interface Unit {
  readonly theirs: readonly TheirMessage[];
  readonly message: Message;
  readonly places: ReadonlyMap<Part, Place>;
  /** Result of each call, by call id. */
  readonly results: ReadonlyMap<string, Place>;
  /** Of a checkpoint. */
  readonly frame?: Frame;
}

/** The host's text around the summary in a checkpoint, which a rewritten summary keeps. */
export interface Frame {
  readonly summary: Part;
  readonly before: string;
  readonly after: string;
}

/** The text of a failure. */
export function readError(value: unknown): string | undefined {
  const message = isRecord(value) && isRecord(value.error) ? value.error.message : undefined;
  return typeof message === "string" ? message : undefined;
}
