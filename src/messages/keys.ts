/**
 * Stable keys of results and messages. Message ids change in a fork and call ids may recur; times do not change, and
 * with other stable fields they identify every result and message of a project.
 */
import { DAY_MS } from "../base/days.js";
import { type Message, readResultText, type ToolPart } from "../io/message.js";

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
