/**
 * Applies the recorded decisions to a history. Pure: the same history and decisions give the same view, byte for byte, in
 * every process.
 *
 *     history   m0 m1 m2 m3 m4 m5            m3 is cut, a result in m4 cleared, m5 extended
 *     view            [notes] m3 m4' m5+     the notes are a part of m3 if that is the user's, else a message
 *
 * View and history end with the same message, and lack none between.
 */
import { isRecord, parseJson } from "../base/shape.js";
import { type Message, type Part, type ToolPart, withParts, withResultText } from "../io/message.js";
import type { DecisionKey, History, Result } from "../messages/history.js";
import type { Decision } from "./decision-batch.js";

export type Find = (key: string) => RecordedDecisions | undefined;

/** The messages to send. Returns the same list if there are no decisions; unchanged messages are shared. */
export function replay(
  history: History,
  find: Find,
  readCut = () => findCut(history, find),
): readonly Message[] {
  const { messages } = history;
  const cut = readCut();
  const from = cut?.index ?? 0;
  const parts = new Map<Part, Part>();
  for (const result of history.results(from)) {
    const text = findText(result, find(result.key));
    const input = find(readInputKey(result).key)?.cleared?.text;
    if (text === undefined && input === undefined) continue;
    const part = text === undefined ? result.part : withResultText(result.part, text);
    parts.set(result.part, input === undefined ? part : withInput(part, input));
  }
  const tail = from > 0 ? messages.slice(from) : messages;
  const view = withMessages(withParts(tail, parts), (index) => {
    const key = history.keyOf(from + index);
    return key && find(key.key);
  });
  if (!cut) return view;
  // Answers that a person has dropped are not sent, so the notes go to what comes behind them.
  const isLeftOut = (index: number): boolean => {
    const key = view[index]?.parts.length === 0 ? history.keyOf(from + index) : undefined;
    return key !== undefined && find(key.key)?.dropped !== undefined;
  };
  let at = 0;
  while (isLeftOut(at)) at++;
  return withNotes(view, messages[0], cut.text, at);
}

/** The last message at which history is cut, and the text that replaces everything before it. */
export function findCut(history: History, find: Find): { index: number; text: string } | undefined {
  for (let index = history.messages.length - 1; index > 0; index--) {
    const key = history.keyOf(index);
    const text = key && find(key.key)?.cut?.text;
    if (text !== undefined) return { index, text };
  }
  return undefined;
}

/** Text that replaces a result; `undefined` if the result stays. */
export function findText({ text }: Result, recorded: RecordedDecisions | undefined): string | undefined {
  if (!recorded) return undefined;
  const { cleared, judged, extended } = recorded;
  if (cleared?.text !== undefined) return cleared.text;
  const base = judged?.text ?? text;
  const behind = extended?.flatMap(({ text: one }) => one ?? []) ?? [];
  return behind.length > 0 ? [base, ...behind].join("\n\n") : judged?.text;
}

/** Applies decisions about whole messages: rewritten, extended, dropped. */
function withMessages(
  messages: readonly Message[],
  find: (index: number) => RecordedDecisions | undefined,
): readonly Message[] {
  let changed: Message[] | undefined;
  for (const [index, message] of messages.entries()) {
    const recorded = find(index);
    if (!recorded || (recorded.rewritten?.text ?? recorded.extended ?? recorded.dropped) === undefined)
      continue;
    changed ??= [...messages];
    changed[index] = withDecisions(message, recorded);
  }
  return changed ?? messages;
}

function withDecisions(message: Message, { dropped, extended, rewritten }: RecordedDecisions): Message {
  let { parts } = message;
  // Without parts it is not sent, and keeps its place among the messages.
  if (dropped) return { ...message, parts: dropped.text === undefined ? [] : [text(dropped.text)] };
  if (rewritten?.text !== undefined) {
    parts = [...parts.filter(({ type }) => type !== "text"), text(rewritten.text)];
  }
  if (extended)
    parts = [...parts, ...extended.flatMap((one) => (one.text === undefined ? [] : text(one.text)))];
  return { ...message, parts };
}

/**
 * Puts the notes before the message at `at`, the first that is sent, in the user's role: providers require a user's message
 * first, and some reject two messages of a role in a row.
 */
export function withNotes(
  tail: readonly Message[],
  first: Message | undefined,
  notes: string,
  at = 0,
): readonly Message[] {
  const head = tail[at];
  if (!head || !first) return tail;
  if (head.info.role === "user") return tail.with(at, { ...head, parts: [text(notes), ...head.parts] });
  return [{ info: { ...first.info, role: "user" }, parts: [text(notes)] }, ...tail];
}

const text = (value: string): Part => ({ type: "text", text: value, synthetic: true });

/*
 * Cleared inputs of tool calls. The decision has the outcome `cleared`, like that about a result, and a key of its own; its
 * `text` is the input to show, a JSON object.
 */

/** Key of the input of the call with this result: that of the result, and the length of the input's texts. */
export function readInputKey({ day, key, part }: Pick<Result, "day" | "key" | "part">): DecisionKey {
  let characters = 0;
  for (const value of Object.values(part.state.input ?? {}))
    if (typeof value === "string") characters += value.length;
  return { day, key: `${key} input ${characters}` };
}

/** The call with another input; the call itself if the text is no JSON object. */
function withInput(part: ToolPart, text: string): ToolPart {
  const input = parseJson(text);
  return isRecord(input) ? { ...part, state: { ...part.state, input } } : part;
}

/** The content of the file with the whole input: short values first, then each text as it is, under its name. */
export function formatWholeInput({ part }: Pick<Result, "part">): Uint8Array {
  const fields = Object.entries(part.state.input ?? {});
  const isShort = (value: unknown) => typeof value !== "object" && !String(value).includes("\n");
  const short = fields.filter(([, value]) => isShort(value)).map(([name, value]) => `${name}: ${value}`);
  const long = fields
    .filter(([, value]) => !isShort(value))
    .map(
      ([name, value]) => `\n${name}:\n${typeof value === "string" ? value : JSON.stringify(value, null, 2)}`,
    );
  return Buffer.from([`Input of a call of ${part.tool}`, ...short, ...long].join("\n"));
}

/* What a person has decided about a result: layers leave it where it is. Pure. */

/** Layer name of what people decide; of what they bring back, with the item's id behind a slash. */
export const STEERING = "steering";

/** Is the result pinned, its input or its turn, is it dropped with its turn, or does it carry what was brought back? */
export function isHeld(
  { find, history }: { find: Find; history: Pick<History, "keyOf"> },
  result: Result,
): boolean {
  const recorded = find(result.key);
  const isBroughtBack = ({ layer, text }: KnownDecision): boolean =>
    layer.startsWith(`${STEERING}/`) && text !== undefined;
  if (recorded?.pinned || recorded?.extended?.some(isBroughtBack)) return true;
  const key = history.keyOf(result.index);
  const answer = key && find(key.key);
  return Boolean(answer?.pinned ?? answer?.dropped ?? find(readInputKey(result).key)?.pinned);
}

/** A decision with its layer, session and time (0 if unknown). */
export interface KnownDecision extends Decision {
  session: string;
  layer: string;
  at: number;
}

/** All decisions about a result or message. */
export interface RecordedDecisions {
  /** `kept`, `replaced` or `shrunk`. */
  judged?: KnownDecision;
  /** In the order in which they were made, at most one per layer. */
  extended?: readonly KnownDecision[];
  cleared?: KnownDecision;
  /** Without a text if it was undone. */
  cut?: KnownDecision;
  rewritten?: KnownDecision;
  dropped?: KnownDecision;
  /** Absent if it was unpinned since. */
  pinned?: KnownDecision;
  /** The last time that it was brought back. */
  expanded?: KnownDecision;
}
