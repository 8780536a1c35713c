/**
 * What results and messages are known by. Message ids do not survive a fork and call ids may come again; times do not
 * change, and with what else is stable they tell everything apart that one project has.
 */
import { DAY_MS } from "../days.js";
import { type Message, readResultText, type ToolPart } from "./message.js";

/** The key of a decision, and the day (UTC, counted from 1970) in whose records it stands. */
export interface DecisionKey {
  day: number;
  key: string;
}

/** Characters at each end of a text that tell it from another of the same length. */
const BORDER = 64;
const PRIME = 0x01000193;

/**
 * A result: when the call began, the tool, the call id, length and borders of the text. `undefined` for a call whose
 * beginning the host does not tell, or that has no text to replace.
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
 * A message: its role, when it began, and when its history began, which tells two subagents apart
 * that were started in the same millisecond. The text is left out because the host changes it on the way, when it
 * reminds the model of something. `undefined` where the host does not tell the times.
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
