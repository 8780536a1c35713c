/**
 * Applies the recorded decisions to a history. Pure: the same history and decisions give the same view, byte for byte, in
 * every process.
 *
 *     history   m0 m1 m2 m3 m4 m5            m3 is cut, a result in m4 cleared, m5 extended
 *     view            [notes] m3 m4' m5+     the notes are a part of m3 if that is the user's, else a message
 *
 * View and history end with the same message, and lack none between.
 */

import { type Message, type Part, withParts, withResultText } from "../io/message.js";
import type { History, Result } from "../messages/history.js";
import { readInputKey, withInput } from "./call-input.js";
import type { Standing } from "./known-decision.js";

/** Looks up the decisions about a key. */
export type Find = (key: string) => Standing | undefined;

/** The messages to send. Returns the same list if there are no decisions; unchanged messages are shared. */
export function replay(
  history: History,
  find: Find,
  readCut = (): Cut | undefined => findCut(history, find),
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

export interface Cut {
  index: number;
  text: string;
}

/** The last message at which history is cut, and the text that replaces everything before it. */
export function findCut(history: History, find: Find): Cut | undefined {
  for (let index = history.messages.length - 1; index > 0; index--) {
    const key = history.keyOf(index);
    const text = key && find(key.key)?.cut?.text;
    if (text !== undefined) return { index, text };
  }
  return undefined;
}

/** Text that replaces a result; `undefined` if the result stays. */
export function findText({ text }: Result, standing: Standing | undefined): string | undefined {
  if (!standing) return undefined;
  const { cleared, judged, extended } = standing;
  if (cleared?.text !== undefined) return cleared.text;
  const base = judged?.text ?? text;
  const behind = extended?.flatMap(({ text: one }) => one ?? []) ?? [];
  return behind.length > 0 ? [base, ...behind].join("\n\n") : judged?.text;
}

/** Applies decisions about whole messages: rewritten, extended, dropped. */
function withMessages(
  messages: readonly Message[],
  find: (index: number) => Standing | undefined,
): readonly Message[] {
  let changed: Message[] | undefined;
  for (const [index, message] of messages.entries()) {
    const standing = find(index);
    if (!standing || (standing.rewritten?.text ?? standing.extended ?? standing.dropped) === undefined)
      continue;
    changed ??= [...messages];
    changed[index] = withStanding(message, standing);
  }
  return changed ?? messages;
}

function withStanding(message: Message, { dropped, extended, rewritten }: Standing): Message {
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
