/**
 * Which of the machine's lines a model gets, requests and rules apart: what it needs to go on first, within a share for
 * each kind so that none crowds out the others, then what is left, newest first in each. Pure.
 */
import { cut } from "../text/text.js";

/** Lines that are shown or dropped together. */
export interface Unit {
  text: string;
  /** The kind of the machine's fact; `person` for a person's line. */
  kind: string;
  /** Heading of a model's line. */
  section: string | undefined;
  at: number;
  /** The file has more of it. */
  isCut: boolean;
  /** Text as shown; `undefined` while dropped. */
  shown: string | undefined;
}

/** Bytes of all but requests, rules and people's lines, headings included. */
export const MOST_OF_OTHERS = 8_000;

interface Share {
  kinds: readonly string[];
  /** Bytes of all lines of these kinds, before what is left is given away. */
  bytes: number;
  /** Characters of one line. */
  line: number;
  /** Lines are shown so, as many as half of the bytes allow, before some are shown in full. */
  brief?: (text: string) => string;
}

const STATE = ["answer", "changed", "next", "plan", "todo"];
/** Tuned with test/bench/notes-bench.ts on two of four repositories. */
const SHARES: readonly Share[] = [
  { kinds: STATE, bytes: 2_400, line: 1_300 },
  { kinds: ["model"], bytes: 6_000, line: 600 },
  { kinds: ["failure"], bytes: 700, line: 240 },
  {
    kinds: ["file"],
    bytes: 3_000,
    line: 400,
    brief: (text) => text.replace(/ \(edited(?:: [\s\S]*|\): [\s\S]*)$/, " (edited)"),
  },
  { kinds: ["reads"], bytes: 1_200, line: 1_200 },
  { kinds: ["looks"], bytes: 700, line: 700 },
  { kinds: ["found", "outcome", "subagent", "reason"], bytes: 1_900, line: 400 },
  { kinds: ["command", "event"], bytes: 1_000, line: 180 },
];
const REST: Share = { kinds: [], bytes: 0, line: 300 };

export const costOf = ({ shown }: Unit): number => (shown === undefined ? 0 : shown.length + 1);
const bytesOf = (text: string): number => Buffer.byteLength(text) + 1;

/** Shows what fits into `room` characters and `most` bytes; returns the characters used. */
export function allotMachine(units: readonly Unit[], room: number, most: number): number {
  let left = room;
  let leftBytes = most;
  const newest = [...units].reverse().sort((a, b) => rankOf(a) - rankOf(b) || compareWorth(a, b));
  /** Shows this text in the place of what is shown, if there is room; returns the bytes it takes more. */
  const spend = (unit: Unit, text: string, allowance: number): number => {
    const bytes = bytesOf(text) - (unit.shown === undefined ? 0 : bytesOf(unit.shown));
    const characters = text.length + 1 - costOf(unit);
    if (characters > left || bytes > Math.min(leftBytes, allowance)) return 0;
    unit.shown = text;
    left -= characters;
    leftBytes -= bytes;
    return bytes;
  };
  for (const share of SHARES) {
    const own = newest.filter((unit) => share.kinds.includes(unit.kind) && !isDone(unit));
    let allowance = share.bytes;
    if (share.brief)
      for (const unit of own) allowance -= spend(unit, share.brief(unit.text), allowance - share.bytes / 2);
    for (const unit of own) allowance -= spend(unit, limit(unit, share), allowance);
  }
  for (const unit of newest) {
    const share = SHARES.find(({ kinds }) => kinds.includes(unit.kind)) ?? REST;
    if (unit.shown !== limit(unit, share)) spend(unit, limit(unit, share), most);
  }
  return room - left;
}

const limit = ({ text }: Unit, share: Share): string =>
  text.length > share.line ? `${cut(text, share.line - 1)}…` : text;

/** Newest first, but of files those with the most to tell: the newest are in the messages that stay. */
function compareWorth(a: Unit, b: Unit): number {
  return (a.kind === "file" ? b.text.length - a.text.length : 0) || b.at - a.at;
}

/** What is settled makes room for what is not. */
const isDone = ({ kind, text }: Unit): boolean =>
  (kind === "todo" && text.startsWith("- [x]")) || (kind === "failure" && text.endsWith("(later succeeded)"));

function rankOf(unit: Unit): number {
  const rank = SHARES.findIndex(({ kinds }) => kinds.includes(unit.kind));
  return isDone(unit) || rank === -1 ? SHARES.length : rank;
}
