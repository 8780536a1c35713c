/** What people read about memories that are not theirs. Pure. */

import { toLine } from "../text.js";
import type { Memory } from "./memory.js";

const MOST_LINES = 20;
/** No less than what a session shows of one. */
const LONGEST_WORDS = 600;

/** Those that wait, each with its words: nobody should accept what they have not read. */
export function formatWaiting(foreign: readonly Memory[], accepting: string): string {
  if (foreign.length === 0) return "Every memory here is yours.";
  const lines = foreign.slice(0, MOST_LINES).map(formatOne);
  const more = foreign.length - lines.length;
  return [
    `${count(foreign.length)} came with this repository, or changed while the agent worked. You have not said them here, so they are shown as the repository's and are no rules:`,
    ...lines,
    ...(more > 0 ? [`and ${more} more: strata list --foreign`] : []),
    `${accepting} makes all of them yours.`,
  ].join("\n");
}

export function formatAccepted(accepted: readonly Memory[]): string {
  if (accepted.length === 0) return "Nothing waits to be accepted.";
  return `${count(accepted.length)} ${accepted.length === 1 ? "counts" : "count"} as yours now. undo takes that back.`;
}

export function formatRevoked(files: number | undefined): string {
  if (files === undefined) return "Nothing was accepted that could be taken back.";
  return `Taken back: ${count(files)} ${files === 1 ? "counts" : "count"} as the repository's again.`;
}

function formatOne({ content, id, title }: Memory): string {
  const words = toLine(content, LONGEST_WORDS);
  const all = toLine(content, Number.POSITIVE_INFINITY);
  const more =
    all.length > words.length ? ` (${all.length - words.length} characters more: strata show ${id})` : "";
  return `  ${id}  ${words === "" ? toLine(title, LONGEST_WORDS) : words}${more}`;
}

const count = (number: number): string => `${number} ${number === 1 ? "memory" : "memories"}`;
