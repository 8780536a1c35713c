/**
 * What the user has written in a session, as sentences that may stand as evidence. Pure.
 *
 *     messages → without what is pasted → own lines → groups of sentences that follow each other
 *
 * Strict: an agent or a model chooses here which sentence is kept, and it may be a page's agent. Of
 * several code blocks or tags what stands between them is left out too, for a pasted text can close its own block.
 */
import type { Sliced } from "../../../src/base/slices.js";
import { type OwnLine, readOwnParagraphs } from "./own-lines.js";

/** A message of the user's in this session, without what others put into it. */
export interface UsersMessage {
  id: string;
  text: string;
  /** When it was written. */
  atMs?: number;
  /** What the agent last said before it, to which it may be the answer. */
  asked?: string;
}

/** Sentences that follow each other, none left out. */
export interface Group {
  message: UsersMessage;
  /** The line that announces them: "Never do this:". Without it they may say the opposite. */
  header?: string;
  sentences: readonly string[];
  /** Places of those with which an item of a list begins. */
  items: ReadonlySet<number>;
}

/** What is longer is a text of somebody else's. */
const LONGEST_MESSAGE = 20_000;
const LONGEST_LINE = 1_000;
/** All that is looked through of a session, the newest first: more would hold up the host, and is long ago. */
const MOST_CHARACTERS = 60_000;
const MOST_SENTENCES = 500;
/** A line that is taken for pasted. */
const PASTED = ">";

/** The groups of these messages, in their order. */
export function* readGroups(messages: readonly UsersMessage[]): Sliced<Group[]> {
  const read: Group[][] = [];
  let [characters, sentences] = [0, 0];
  for (const message of [...messages].reverse()) {
    if (message.text.length > LONGEST_MESSAGE) continue;
    yield;
    characters += message.text.length;
    if (characters > MOST_CHARACTERS || sentences > MOST_SENTENCES) break;
    const groups = groupLines(yield* readOwnParagraphs(dropPasted(message.text)));
    for (const group of groups) sentences += group.sentences.length;
    read.push(groups.map((group) => ({ message, ...group })));
  }
  return read.reverse().flat();
}

/** The text with a mark in the place of each line that somebody else may have written. */
export function dropPasted(text: string): string {
  const lines = text.split("\n");
  // How many pieces begin before a line, less those that end there.
  const steps = new Int32Array(lines.length + 1);
  const drop = (from: number, to: number): void => {
    steps[from] = (steps[from] ?? 0) + 1;
    steps[to + 1] = (steps[to + 1] ?? 0) - 1;
  };
  for (const [from, to] of [...findFenced(lines), ...findTagged(lines), ...findQuoted(lines)]) drop(from, to);
  let depth = 0;
  return lines
    .map((line, index) => {
      depth += steps[index] ?? 0;
      return depth > 0 || line.length > LONGEST_LINE || LONG_QUOTATION.test(line) ? PASTED : line;
    })
    .join("\n");
}

type Range = readonly [from: number, to: number];

/** More than one sentence of somebody else's on one line. */
const LONG_QUOTATION = /"[^"]{401,}"|“[^”]{401,}”|「[^」]{401,}」|«[^»]{401,}»/;
const FENCE = /^\s*(```|~~~)/;

/** From the first fence to the last; to the end where there is but one. */
function findFenced(lines: readonly string[]): Range[] {
  const first = lines.findIndex((line) => FENCE.test(line));
  if (first === -1) return [];
  const last = lines.findLastIndex((line) => FENCE.test(line));
  return [[first, first === last ? lines.length - 1 : last]];
}

/** From the first `<x>` to the last `</x>`, for each x. */
function findTagged(lines: readonly string[]): Range[] {
  const first = new Map<string, number>();
  const last = new Map<string, number>();
  for (const [index, line] of lines.entries()) {
    if (line.length > LONGEST_MESSAGE) continue;
    for (const [, end, name = ""] of line.matchAll(/<(\/?)([a-z][\w-]{0,60})(?:\s[^<>]{0,300})?>/gi)) {
      const key = name.toLowerCase();
      if (end === "/") last.set(key, index);
      else if (!first.has(key)) first.set(key, index);
    }
  }
  return [...first].flatMap(([name, from]): Range[] => {
    const to = last.get(name) ?? -1;
    return to >= from ? [[from, to]] : [];
  });
}

const PAIRS: readonly (readonly [RegExp, RegExp])[] = [
  [/“/g, /”/g],
  [/「/g, /」/g],
  [/«/g, /»/g],
];
const count = (line: string, sign: RegExp): number => line.match(sign)?.length ?? 0;

/** Quotations that do not end on the line on which they begin; those that do are hidden with their sentence. */
function findQuoted(lines: readonly string[]): Range[] {
  const ranges: Range[] = [];
  const open: (number | undefined)[] = PAIRS.map(() => undefined);
  let straight: number | undefined;
  const close = (from: number | undefined, to: number): void => {
    if (from !== undefined) ranges.push([from, to]);
  };
  for (const [index, line] of lines.entries()) {
    if (line.length > LONGEST_LINE) continue;
    if (count(line.replace(/`[^`]*`/g, ""), /"/g) % 2 === 1) {
      close(straight, index);
      straight = straight === undefined ? index : undefined;
    }
    for (const [n, [begin, end]] of PAIRS.entries()) {
      const more = count(line, begin) - count(line, end);
      if (more > 0) open[n] ??= index;
      if (more < 0) {
        close(open[n] ?? index, index);
        open[n] = undefined;
      }
    }
  }
  for (const from of [straight, ...open]) if (from !== undefined) close(from, findParagraphEnd(lines, from));
  return ranges;
}

function findParagraphEnd(lines: readonly string[], from: number): number {
  const blank = lines.findIndex((line, index) => index > from && line.trim() === "");
  return blank === -1 ? lines.length - 1 : blank;
}

/** "Rules:", of which what follows in the paragraph and in the list below it is a part. */
const ANNOUNCES = /[:：]\s*\**\s*$/;
/** "## Never", "**Don't**", "Never": of all up to the next one. */
const HEADING =
  /^#{1,6}\s|^(\*\*|__).{1,60}(\*\*|__)$|^(?=.{1,40}$)(\S+ ){0,3}(never|don'?ts?|avoid|forbidden|wrong|bad|not|no|禁止|不要)\W*$/i;

/** What is left of "1. Review first" before its sentence. */
const LIST_NUMBER = /^\d+[.)、]$/;

type Headed = Omit<Group, "message">;

function groupLines(paragraphs: readonly (readonly OwnLine[])[]): Headed[] {
  const groups: { header?: string; sentences: string[]; items: Set<number> }[] = [];
  let heading: string | undefined;
  let announced: string | undefined;
  const open = (): void => {
    const header = announced ?? heading;
    groups.push({ sentences: [], items: new Set(), ...(header !== undefined && { header }) });
  };
  for (const lines of paragraphs) {
    // An announcement reaches over a gap only to a list.
    if (!lines[0]?.isItem) announced = undefined;
    open();
    for (const { isItem, sentences: all } of lines) {
      const sentences = all.filter((sentence) => !LIST_NUMBER.test(sentence));
      const last = sentences.at(-1) ?? "";
      const isHeading = sentences.length === 1 && HEADING.test(last);
      const isHeader = isHeading || ANNOUNCES.test(last);
      const group = groups.at(-1);
      if (isItem) group?.items.add(group.sentences.length);
      group?.sentences.push(...(isHeader ? sentences.slice(0, -1) : sentences));
      if (!isHeader) continue;
      if (isHeading) heading = last;
      announced = isHeading ? undefined : last;
      open();
    }
  }
  return groups.filter(({ sentences }) => sentences.length > 0);
}
