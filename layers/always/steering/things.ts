/**
 * The things in a context that a person can steer: results and long inputs of calls, the agent's turns, the notes for
 * history that was cut, and OpenCode's own summary. Pure.
 */

import { readInputKey } from "../../../src/context/call-input.js";
import { findLongInput } from "../../../src/context/clear-input.js";
import type { KnownDecision } from "../../../src/context/known-decision.js";
import type { Find } from "../../../src/context/replay.js";
import { isToolPart, type Message } from "../../../src/io/message.js";
import { type History, isSummary, type Result } from "../../../src/messages/history.js";
import type { DecisionKey } from "../../../src/messages/keys.js";
import { hashText } from "../../../src/messages/outcome.js";
import { readOwnTexts } from "../../../src/messages/own-texts.js";

interface Placed {
  id: string;
  /** Key of the decisions about it. */
  key: DecisionKey;
  /** Index of its first message in the history. */
  index: number;
}

export interface ResultThing extends Placed {
  kind: "result";
  result: Result;
}

export interface InputThing extends Placed {
  kind: "input";
  result: Result;
}

/** The agent's answers to one message of the user. */
export interface TurnThing extends Placed {
  kind: "turn";
  /** Index of the message behind the last answer. */
  end: number;
  /** Has the user's next message come? */
  isOver: boolean;
  /** Of its calls. */
  results: readonly Result[];
}

/** Notes that replace the messages before `index`. */
export interface CutThing extends Placed {
  kind: "cut";
  cut: KnownDecision;
}

export interface SummaryThing extends Placed {
  kind: "summary";
}

export type Thing = ResultThing | InputThing | TurnThing | CutThing | SummaryThing;

export interface Seen {
  find: Find;
  history: History;
  shownFrom(): number;
}

/** In the order of the context. */
export function findThings(seen: Seen): Thing[] {
  const { history, shownFrom } = seen;
  const from = shownFrom();
  const things: Thing[] = [];
  const cut = findCutThing(seen, from);
  if (cut) things.push(cut);
  const results = history.results(from);
  let next = 0;
  for (const found of findTurns(seen, from)) {
    if (found.kind === "summary") {
      things.push(found);
      continue;
    }
    const first = next;
    while ((results[next]?.index ?? Number.POSITIVE_INFINITY) < found.end) next++;
    const turn = { ...found, results: results.slice(first, next) };
    things.push(turn);
    if (seen.find(turn.key.key)?.dropped) continue;
    for (const result of turn.results) things.push(...findOfCall(seen, result));
  }
  return things;
}

function findCutThing({ find, history }: Seen, index: number): CutThing | undefined {
  const key = index > 0 ? history.keyOf(index) : undefined;
  const cut = key && find(key.key)?.cut;
  return key && cut ? { kind: "cut", id: planID("cut", key), key, index, cut } : undefined;
}

/** Runs of answers, and summaries by the host. */
function findTurns({ history }: Seen, from: number): (Omit<TurnThing, "results"> | SummaryThing)[] {
  const { messages } = history;
  const found: (Omit<TurnThing, "results"> | SummaryThing)[] = [];
  for (let index = from; index < messages.length; ) {
    const message = messages[index];
    const key = history.keyOf(index);
    const end = message?.info.role === "user" ? index + 1 : findEnd(messages, index);
    if (message && key && isSummary(message))
      found.push({ kind: "summary", id: planID("summary", key), key, index });
    else if (message && key && message.info.role === "assistant")
      found.push({ kind: "turn", id: planID("turn", key), key, index, end, isOver: end < messages.length });
    index = end;
  }
  return found;
}

/** A summary stands alone. */
function findEnd(messages: readonly Message[], from: number): number {
  const first = messages[from];
  if (first && isSummary(first)) return from + 1;
  let end = from + 1;
  for (; end < messages.length; end++) {
    const message = messages[end];
    if (!message || message.info.role === "user" || isSummary(message)) break;
  }
  return end;
}

function findOfCall({ find }: Seen, result: Result): Thing[] {
  const { day, index, key } = result;
  const input = readInputKey(result);
  const hasInput = findLongInput(result.part) !== undefined || find(input.key)?.cleared !== undefined;
  return [
    { kind: "result", id: planID("result", result), key: { day, key }, index, result },
    ...(hasInput ? [{ kind: "input", id: planID("input", input), key: input, index, result } as const] : []),
  ];
}

const LETTERS = { result: "r", input: "i", turn: "t", cut: "c", summary: "s" } as const;
const ID_CHARACTERS = 7;

/** Made from the key, which a fork and a restart keep. */
function planID(kind: Thing["kind"], { key }: DecisionKey): string {
  const letters = hashText(`${kind} ${key}`)
    .toLowerCase()
    .replace(/[^0-9a-z]/g, "");
  return `${LETTERS[kind]}-${letters.slice(0, ID_CHARACTERS)}`;
}

/** Which kind of thing has such an id. */
export function readKind(id: string): Thing["kind"] {
  const found = Object.entries(LETTERS).find(([, letter]) => id.startsWith(`${letter}-`));
  return (found?.[0] ?? "result") as Thing["kind"];
}

/** For each message, the number of the user's message that it belongs to, from 1; 0 before the first. */
export function countTurns(messages: readonly Message[]): number[] {
  let turn = 0;
  return messages.map(({ info, parts }) => {
    if (info.role === "user" && readOwnTexts(parts).length > 0) turn++;
    return turn;
  });
}

/** The last words of the user before this message. */
export function findWords(messages: readonly Message[], index: number): string {
  for (let at = index; at >= 0; at--) {
    const message = messages[at];
    if (message?.info.role !== "user") continue;
    const words = readOwnTexts(message.parts).join(" ");
    if (words !== "") return words;
  }
  return "";
}

/** Tools that the messages call, with how often: "read ×3, bash". */
export function formatTools(messages: readonly Message[]): string {
  const counts = new Map<string, number>();
  for (const { parts } of messages)
    for (const part of parts) if (isToolPart(part)) counts.set(part.tool, (counts.get(part.tool) ?? 0) + 1);
  return [...counts].map(([tool, count]) => (count === 1 ? tool : `${tool} ×${count}`)).join(", ");
}
