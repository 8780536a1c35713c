/** The messages of one request as the host has them, read once for all layers. */
import { DAY_MS } from "../base/days.js";
import { isRecord } from "../base/shape.js";
import {
  isSummary,
  isToolPart,
  type Message,
  type MessageInfo,
  readResultText,
  type ToolPart,
} from "../io/message.js";

/** The result of an ended tool call. */
export interface Result extends DecisionKey {
  part: ToolPart;
  /** The text as the host would send it. */
  text: string;
  index: number;
}

export interface History {
  readonly messages: readonly Message[];
  /** Days (UTC, counted from 1970) on which a message or call began. */
  readonly days: ReadonlySet<number>;
  /** All results with a key, from this message on, in order. Cached. */
  results(from?: number): readonly Result[];
  keyOf(index: number): DecisionKey | undefined;
  /** Index of the last finished answer that is not a summary, or -1. */
  readonly lastAnswer: number;
  /** Index of the host's last summary if there is no later answer; else -1. */
  readonly freshSummary: number;
}

export function readHistory(messages: readonly Message[]): History {
  const keys = new Map<number, DecisionKey | undefined>();
  let read: Result[] = [];
  let readFrom = messages.length;
  return {
    messages,
    days: readDays(messages),
    results(from = 0) {
      if (from < readFrom) {
        read = [...readResults(messages, from, readFrom), ...read];
        readFrom = from;
      }
      return from === readFrom ? read : read.filter(({ index }) => index >= from);
    },
    keyOf(index) {
      const [message, first] = [messages[index], messages[0]];
      if (message && first && !keys.has(index)) keys.set(index, readMessageKey(message, first));
      return keys.get(index);
    },
    lastAnswer: messages.findLastIndex(isEndedAnswer),
    freshSummary: findFreshSummary(messages),
  };
}

/** True if the list lacks what was before the summary: what is missing need not have been undone. */
export function isOnlyRest([first]: readonly Message[]): boolean {
  return first !== undefined && isSummary(first);
}

/** Did a person ask for the summary with this index? The host marks it, or the message before it. */
export function isManualSummary(messages: readonly Message[], index: number): boolean {
  const around = messages.slice(Math.max(0, index - 1), index + 1);
  return around.some(({ parts }) => parts.some((part) => part?.auto === false));
}

/**
 * Index of the host's last summary if there is no later answer; else -1. The host puts messages that it keeps verbatim
 * after the summary, so older answers may follow it.
 */
export function findFreshSummary(messages: readonly Message[]): number {
  const summary = messages.findLastIndex(isSummary);
  if (summary === -1) return -1;
  const answer = messages.findLastIndex(isEndedAnswer);
  const [made, answered] = [messages[summary]?.info.time?.created, messages[answer]?.info.time?.created];
  const isAnswered = made === undefined || answered === undefined ? answer > summary : answered > made;
  return isAnswered ? -1 : summary;
}

/** When the last answer had ended, or begun if it has no end; what was decided later is in no request yet. */
export function readAnsweredMs({ lastAnswer, messages }: Pick<History, "lastAnswer" | "messages">) {
  const time = messages[lastAnswer]?.info.time;
  return time?.completed ?? time?.created;
}

/** A model's answer for which the provider reported its usage. */
export function isEndedAnswer({ info }: Message): boolean {
  return info.role === "assistant" && info.summary !== true && countReportedTokens(info.tokens) > 0;
}

export type EndedInfo = MessageInfo & Required<Pick<MessageInfo, "tokens">>;

/** Is it what an event tells of an answer or a summary that has ended, with the provider's counts? */
export function isEnded(info: unknown): info is EndedInfo {
  if (!isRecord(info) || !isRecord(info.time) || info.time.completed === undefined) return false;
  const { role, tokens } = info as unknown as MessageInfo;
  return role === "assistant" && countReportedTokens(tokens) > 0;
}

export function countReportedTokens(tokens: Message["info"]["tokens"]): number {
  if (!tokens) return 0;
  return tokens.input + tokens.output + tokens.reasoning + tokens.cache.read + tokens.cache.write;
}

function readResults(messages: readonly Message[], from: number, to: number): Result[] {
  const results: Result[] = [];
  for (let index = from; index < to; index++) {
    const message = messages[index];
    if (message?.info.role !== "assistant") continue;
    for (const part of message.parts) {
      const text = isToolPart(part) ? readResultText(part) : undefined;
      const key = text === undefined ? undefined : readResultKey(part as ToolPart);
      if (key && text !== undefined) results.push({ ...key, part: part as ToolPart, text, index });
    }
  }
  return results;
}

function readDays(messages: readonly Message[]): Set<number> {
  const days = new Set<number>();
  const add = (timeMs: number | undefined) => timeMs !== undefined && days.add(Math.floor(timeMs / DAY_MS));
  for (const { info, parts } of messages) {
    add(info.time?.created);
    for (const part of parts) if (isToolPart(part)) add(part.state?.time?.start);
  }
  return days;
}

/*
 * Stable keys of results and messages. Message ids change in a fork and call ids may recur; times do not change, and
 * with other stable fields they identify every result and message of a project.
 */

/** The key of a decision, and the day (UTC, counted from 1970) of the record that holds it. */
export interface DecisionKey {
  day: number;
  key: string;
}

/** Characters at each end of a text that tell it from another of the same length. */
const BORDER = 64;
const PRIME = 0x01000193;

/**
 * Key of a result: start of the call, tool, call id, length and hash of the text's ends. `undefined` if the host gives
 * no start time, or there is no text to replace.
 */
export function readResultKey(part: ToolPart): DecisionKey | undefined {
  const start = part.state.time?.start;
  const text = readResultText(part);
  if (start === undefined || text === undefined) return undefined;
  const borders = hashBorders(text);
  return {
    day: Math.floor(start / DAY_MS),
    key: `${start} ${part.tool} ${part.callID} ${text.length} ${borders}`,
  };
}

/**
 * Key of a message: its role, its start, and the start of its history, which distinguishes two subagents started in the
 * same millisecond. The text is not part of it because the host changes it when it adds reminders. `undefined` if the
 * host gives no times.
 */
export function readMessageKey(message: Message, first: Message): DecisionKey | undefined {
  const created = message.info.time?.created;
  const began = first.info.time?.created;
  if (created === undefined || began === undefined) return undefined;
  return { day: Math.floor(created / DAY_MS), key: `${created} ${message.info.role} ${began}` };
}

/** FNV-1a of the UTF-16 units at both ends, 32 bits: quick, and enough to tell two results of one millisecond apart. */
function hashBorders(text: string): string {
  const { length } = text;
  const head = Math.min(BORDER, length);
  let sum = 0x811c9dc5;
  for (let index = 0; index < head; index++) sum = Math.imul(sum ^ text.charCodeAt(index), PRIME);
  for (let index = length - head; index < length; index++)
    sum = Math.imul(sum ^ text.charCodeAt(index), PRIME);
  return (sum >>> 0).toString(36);
}
