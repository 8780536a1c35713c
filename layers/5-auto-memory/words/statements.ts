/**
 * What a user said in their messages, sentence by sentence, with what each needs to be understood. Pure.
 *
 *     messages → without what is pasted → own lines → groups of sentences that follow each other → statements
 *
 *     "Never do this:\n- push to main"     the item has its heading: "Never do this: push to main"
 *     agent "2. Which port?"  "2. 8080"    the answer has its question
 *     "Which of these?\n- a rewrite"       the item is part of a question
 *
 * Strict: the sentences may stand as evidence, and an agent that a page speaks through chooses among them. Of several code
 * blocks or tags what stands between them is left out too, for a pasted text can close its own block.
 */
import { isForPeopleOnly, type Message } from "../../../src/io/message.js";
import { readOwnTexts, readTime } from "../../../src/messages/call.js";
import { type Language, languages } from "../../../src/text/language.js";
import {
  type Line,
  LONGEST_SENTENCE,
  MOST_SENTENCES,
  readOwnLines,
  splitLine,
} from "../../../src/text/sentences.js";

/** A message of the user's in this session, without what others put into it. */
export interface UsersMessage {
  id: string;
  text: string;
  atMs?: number;
  /** What the agent last said before it, to which it may be the answer. */
  asked?: string;
}

/** The user's messages of a session as the host has it. `isTheirs`: did the user write this text? */
export function readUsersMessages(
  messages: readonly Message[],
  isTheirs: (text: string) => boolean,
): UsersMessage[] {
  const read: UsersMessage[] = [];
  let asked: string | undefined;
  for (const message of messages) {
    const { info, parts } = message;
    if (info.role === "assistant") {
      const isWhole = info.summary !== true && info.error === undefined;
      asked = isWhole ? readOwnTexts(parts).at(-1) : undefined;
    }
    // What our own commands answer is for people, and no turn.
    if (info.role !== "user" || isForPeopleOnly(message)) continue;
    const text = readOwnTexts(parts).filter(isTheirs).join("\n\n");
    const atMs = readTime(info);
    const more = { ...(atMs !== undefined && { atMs }), ...(asked !== undefined && { asked }) };
    if (text !== "") read.push({ id: info.id, text, ...more });
    asked = undefined;
  }
  return read;
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

export interface Statement {
  /** Verbatim, on one line. */
  text: string;
  /** The line that announces it, or the agent's question that it answers. */
  heading?: string;
  isItem: boolean;
  isQuestion: boolean;
}

const ASKS = /[?？؟]["”'」)\]\s]*[:：]?\s*$/;
const NUMBERED = /^\s*(\d{1,2})[.):、]\s*(\S.*)$/;

/** Of one message; empty where nothing in it was typed to the agent. */
export function readStatements(message: UsersMessage): Statement[] {
  const asked = readNumbered(message.asked);
  const answers = [...readNumbered(message.text)];
  const questionOf = (text: string): string | undefined => {
    const [number] = answers.find(([, answer]) => answer.startsWith(text)) ?? [];
    return number === undefined ? undefined : asked.get(number);
  };
  const statements: Statement[] = [];
  for (const { header, items, sentences } of readGroups([message])) {
    let isItem = false;
    // A list may stand a line below what asks about it.
    const isBelow = statements.at(-1)?.isQuestion === true && items.has(0);
    let isAsked = header === undefined ? isBelow : ASKS.test(header);
    for (const [index, text] of sentences.entries()) {
      isItem ||= items.has(index);
      const asks = ASKS.test(text);
      const heading = questionOf(text) ?? header;
      const isQuestion = asks || (isItem && isAsked);
      if (!isItem) isAsked = asks;
      statements.push({ text, isItem, isQuestion, ...(heading !== undefined && { heading }) });
    }
  }
  return statements;
}

function readNumbered(text = ""): ReadonlyMap<string, string> {
  const end = text.slice(-LONGEST_MESSAGE);
  const lines = end.split("\n").flatMap((line) => {
    const [, number, rest] = NUMBERED.exec(line) ?? [];
    return number !== undefined && rest !== undefined ? [[number, rest.trim()] as const] : [];
  });
  return new Map(lines);
}

/** As it is shown and kept: what announces it, and its words. */
export const formatStatement = ({ heading, text }: { heading?: string | undefined; text: string }): string =>
  heading === undefined ? text : `${heading} ${text}`;

/** What is longer is a text of somebody else's. */
const LONGEST_MESSAGE = 20_000;
const LONGEST_LINE = 1_000;
/** All that is read of a session, the newest first: more is long ago. */
const MOST_CHARACTERS = 60_000;

export function readGroups(messages: readonly UsersMessage[]): Group[] {
  const read: Group[][] = [];
  let [characters, sentences] = [0, 0];
  for (const message of messages.toReversed()) {
    if (message.text.length > LONGEST_MESSAGE) continue;
    characters += message.text.length;
    if (characters > MOST_CHARACTERS || sentences > MOST_SENTENCES) break;
    const groups = groupLines(readParagraphs(dropPasted(message.text)));
    for (const group of groups) sentences += group.sentences.length;
    read.push(groups.map((group) => ({ message, ...group })));
  }
  return read.toReversed().flat();
}

/** "Rules:", of which what follows in the paragraph and in the list below it is a part. */
const ANNOUNCES = /[:：]\s*\**\s*$/;
/** "## Never", "**Don't**", "Never": of all up to the next one. */
const HEADING =
  /^#{1,6}\s|^(\*\*|__).{1,60}(\*\*|__)$|^(?=.{1,40}$)(\S+ ){0,3}(never|don'?ts?|avoid|forbidden|wrong|bad|not|no|禁止|不要)\W*$/i;
/** What is left of "1. Review first" before its sentence. */
const LIST_NUMBER = /^\d+[.)、]$/;

function groupLines(paragraphs: readonly (readonly OwnLine[])[]): Omit<Group, "message">[] {
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

/* What is the user's own of a text in which somebody else's words may be introduced. */

interface OwnLine {
  sentences: readonly string[];
  isItem: boolean;
}

/** The lines of a paragraph follow each other without a gap or a paste between them. */
function readParagraphs(text: string): OwnLine[][] {
  const { hide, restore } = createHiding();
  const lines = readOwnLines(text, hide);
  const paragraphs: OwnLine[][] = [];
  let left = MOST_SENTENCES;
  /** Somebody else speaks, to the end of the next paragraph. */
  let isOthers = false;
  let hasSkipped = false;
  for (const [index, line] of lines.entries()) {
    const begins = !line.isJoined;
    if (isOthers && ((begins && hasSkipped) || line.isBehindPaste)) isOthers = false;
    if (isOthers) {
      hasSkipped = true;
      continue;
    }
    if (begins || line.isBehindPaste || paragraphs.length === 0) paragraphs.push([]);
    const sentences = dropQuoted(splitLine(line.text).slice(0, left)).map(restore);
    left -= sentences.length;
    if (sentences.length > 0) paragraphs.at(-1)?.push({ sentences, isItem: line.isItem });
    isOthers = introducesOthers(line, lines[index + 1]);
    hasSkipped = false;
  }
  return paragraphs;
}

/** The sentences of a line before the one after whose colon somebody else speaks. */
function dropQuoted(sentences: readonly string[]): readonly string[] {
  const foreign = sentences.findIndex((sentence) =>
    languages.some(({ quotesOthers }) => quotesOthers.test(sentence)),
  );
  return foreign === -1 ? sentences : sentences.slice(0, foreign);
}

/** What is presented as somebody else's is; and a colon before a paragraph of its own that is no list announces what somebody else wrote. */
function introducesOthers({ text }: Line, next: Line | undefined): boolean {
  const isShort = text.length <= LONGEST_SENTENCE;
  if (isShort && languages.some(({ presentsOthers }) => presentsOthers.test(text))) return true;
  if (!/[:：]\s*$/.test(text) || endsAs(text, "introducesRules") || INTRODUCES_ANSWERS.test(text))
    return false;
  if (next && !next.isJoined && !next.isItem) return true;
  // A list keeps its heading, by which whoever judges it can tell: see `announcesOthers`.
  return !next?.isItem && endsAs(text, "introducesOthers");
}

/** Does this heading say that what follows is somebody else's? No item below it is a rule of the user's. */
export function announcesOthers(heading: string): boolean {
  const line = heading.slice(-LONGEST_SENTENCE);
  if (INTRODUCES_ANSWERS.test(line)) return false;
  return languages.some(
    ({ introducesOthers, introducesRules }) => introducesOthers.test(line) && !introducesRules.test(line),
  );
}

/** These ask how the line's last sentence ends; what stands before it need not be looked through. */
const endsAs = (
  text: string,
  pattern: keyof Pick<Language, "introducesOthers" | "introducesRules">,
): boolean => languages.some((language) => language[pattern].test(text.slice(-LONGEST_SENTENCE)));

/** "To answer your questions:", "Antworten:" */
const INTRODUCES_ANSWERS =
  /^(?:ok(?:ay)?,? |so,? |and )*(?:(?:my |here are (?:my|the) )?answers?\b|to answer\b|answering\b|antworten?\b|réponses?\b|respuestas?\b|risposte\b|respostas?\b|ответы?\b|回答|答复|答え)[^.!?]{0,60}[:：]\s*$/iu;

/* Quotations. */

/** Private use area: no text that people write has these. */
const FIRST_HIDDEN = 0xe000;
const MOST_HIDDEN = 0x1800;
const HIDDEN = /[\uE000-\uF7FF]/g;
/** Inline code, and what stands in quotation marks of any kind on one line. */
const QUOTATIONS =
  /`[^`\n]{1,300}`|"[^"\n]{1,400}"|“[^”\n]{1,400}”|„[^“”\n]{1,400}[“”]|«[^»\n]{1,400}»|「[^」\n]{1,400}」|『[^』\n]{1,400}』|‘[^’\n]{1,300}’(?!\w)|(?<=^|[\s(:])'[^'\n]{2,300}'(?=[\s.,;:!?)]|$)/gm;
/** Five words, or eight characters of a script without spaces. */
const LONG_QUOTATION = /^[^`]\s*(\S+\s+){4,}\S|(?:\p{Script=Han}.*?){8}/u;

/** What a sentence quotes, short names included. */
export const readQuotations = (sentence: string): string[] => sentence.match(QUOTATIONS) ?? [];

/** Is it what somebody said rather than a name or a term? */
export const isSpeech = (quotation: string): boolean => LONG_QUOTATION.test(quotation);

/** Takes out what is quoted, so that no word in it counts and a full stop in it ends no sentence; and puts it back. For one text. */
function createHiding(): Record<"hide" | "restore", (text: string) => string> {
  const quotations: string[] = [];
  return {
    hide: (line) =>
      line.replace(HIDDEN, " ").replace(QUOTATIONS, (quotation) => {
        // More than anybody writes: the last place stands for all others.
        const place = Math.min(quotations.length, MOST_HIDDEN - 1);
        quotations[place] = quotation;
        return String.fromCharCode(FIRST_HIDDEN + place);
      }),
    restore: (piece) =>
      piece.replace(HIDDEN, (character) => quotations[character.charCodeAt(0) - FIRST_HIDDEN] ?? character),
  };
}

/* What is pasted, by whole lines. */

const PASTED = ">";
/** More than one sentence of somebody else's on one line. */
const LONGEST_QUOTATION = /"[^"]{401,}"|“[^”]{401,}”|「[^」]{401,}」|«[^»]{401,}»/;
const FENCE = /^\s*(```|~~~)/;

/** The text with a mark in the place of each line that somebody else may have written. */
export function dropPasted(text: string): string {
  const lines = text.split("\n");
  // How many pieces begin before a line, less those that end there.
  const steps = new Int32Array(lines.length + 1);
  for (const [from, to] of [...findFenced(lines), ...findTagged(lines), ...findQuoted(lines)]) {
    steps[from] = (steps[from] ?? 0) + 1;
    steps[to + 1] = (steps[to + 1] ?? 0) - 1;
  }
  let depth = 0;
  return lines
    .map((line, index) => {
      depth += steps[index] ?? 0;
      return depth > 0 || line.length > LONGEST_LINE || LONGEST_QUOTATION.test(line) ? PASTED : line;
    })
    .join("\n");
}

type Range = readonly [from: number, to: number];

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

/** Opening and closing sign; where both are the same, one of an odd number opens or closes. */
const MARKS = ['""', "“”", "「」", "«»"] as const;

/** Quotations that do not end on the line on which they begin; those that do are hidden with their sentence. */
function findQuoted(lines: readonly string[]): Range[] {
  return MARKS.flatMap(([begin = "", end = ""]) => {
    const ranges: Range[] = [];
    let from: number | undefined;
    for (const [index, line] of lines.entries()) {
      if (line.length > LONGEST_LINE) continue;
      const count = (sign: string): number => line.replace(/`[^`]*`/g, "").split(sign).length - 1;
      const isOdd = count(begin) % 2 === 1;
      const alternating = isOdd ? (from === undefined ? 1 : -1) : 0;
      const opened = begin === end ? alternating : count(begin) - count(end);
      if (opened > 0) from ??= index;
      if (opened >= 0) continue;
      ranges.push([from ?? index, index]);
      from = undefined;
    }
    if (from === undefined) return ranges;
    const blank = lines.findIndex((line, index) => index > (from ?? 0) && line.trim() === "");
    return [...ranges, [from, blank === -1 ? lines.length - 1 : blank]];
  });
}
