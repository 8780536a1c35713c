/** What of a message the user wrote themselves, in lines and sentences; quotations hidden while it is looked through. */
import type { Sliced } from "../../../src/base/slices.js";
import type { Language } from "../../../src/text/language/language.js";
import { languages } from "../../../src/text/language/languages.js";
import {
  type Line,
  LONGEST_SENTENCE,
  LOOKED_AT,
  MOST_SENTENCES,
  readOwnLines,
  splitLine,
} from "../../../src/text/language/sentences.js";
import { cut } from "../../../src/text/text.js";

/** A line of the user's own. */
export interface OwnLine {
  sentences: readonly string[];
  /** Of a list. */
  isItem: boolean;
}

/** What the user wrote themselves; the lines of a paragraph follow each other without a gap or a paste between them. */
export function* readOwnParagraphs(text: string): Sliced<OwnLine[][]> {
  const { hide, restore } = createHiding();
  const untagged = yield* dropTagged(cut(text, LOOKED_AT));
  const own = yield* dropOthers(yield* readOwnLines(untagged, hide));
  const paragraphs: OwnLine[][] = [];
  let left = MOST_SENTENCES;
  for (const lines of own) {
    for (const [index, { isBehindPaste, isItem, text }] of lines.entries()) {
      if (index === 0 || isBehindPaste) paragraphs.push([]);
      yield;
      const sentences = dropQuoted(splitLine(text).slice(0, left)).map(restore);
      left -= sentences.length;
      if (sentences.length > 0) paragraphs.at(-1)?.push({ sentences, isItem });
    }
  }
  return paragraphs;
}

/** The sentences of a line before the one after whose colon somebody else speaks. */
function dropQuoted(sentences: readonly string[]): readonly string[] {
  const foreign = sentences.findIndex(quotesOthers);
  return foreign === -1 ? sentences : sentences.slice(0, foreign);
}

function quotesOthers(sentence: string): boolean {
  return languages.some((language) => language.quotesOthers.test(sentence));
}

/** Paragraphs without those in which, as the line before them says, somebody else speaks. */
function* dropOthers(lines: readonly Line[]): Sliced<Line[][]> {
  const paragraphs: Line[][] = [];
  let isOthers = false;
  let hasSkipped = false;
  for (const [index, line] of lines.entries()) {
    const begins = !line.isJoined;
    if (isOthers && ((begins && hasSkipped) || line.isBehindPaste)) isOthers = false;
    if (isOthers) {
      hasSkipped = true;
      continue;
    }
    if (begins || paragraphs.length === 0) paragraphs.push([]);
    paragraphs.at(-1)?.push(line);
    yield;
    isOthers = introducesOthers(line, lines[index + 1]);
    hasSkipped = false;
  }
  return paragraphs;
}

/** What is presented as somebody else's is; and a colon before a paragraph of its own that is no list announces what somebody else wrote. */
function introducesOthers(line: Line, next: Line | undefined): boolean {
  const { text } = line;
  const isShort = text.length <= LONGEST_SENTENCE;
  if (isShort && languages.some(({ presentsOthers }) => presentsOthers.test(text))) return true;
  if (!endsInColon(text) || hasEnding(line, ({ introducesRules }) => introducesRules)) return false;
  if (INTRODUCES_ANSWERS.test(text)) return false;
  if (next && !next.isJoined && !next.isItem) return true;
  // A list keeps its heading, by which whoever judges it can tell: see `announcesOthers`.
  if (next?.isItem) return false;
  return hasEnding(line, (language) => language.introducesOthers);
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
function hasEnding({ text }: Line, patternOf: (language: Language) => RegExp): boolean {
  const ending = text.slice(-LONGEST_SENTENCE);
  return languages.some((language) => patternOf(language).test(ending));
}

/** "To answer your questions:", "Antworten:" */
const INTRODUCES_ANSWERS =
  /^(?:ok(?:ay)?,? |so,? |and )*(?:(?:my |here are (?:my|the) )?answers?\b|to answer\b|answering\b|antworten?\b|réponses?\b|respuestas?\b|risposte\b|respostas?\b|ответы?\b|回答|答复|答え)[^.!?]{0,60}[:：]\s*$/iu;

const endsInColon = (text: string): boolean => /[:：]\s*$/.test(text);

/** Private use area: no text that people write has these. Short quotations are names and terms; long ones are speech. */
const SHORT = { first: 0xe000, most: 0x1000 };
const LONG = { first: 0xf000, most: 0x800 };
const HIDDEN = /[\uE000-\uF7FF]/g;
/** Somebody else speaks in the sentence. */
export const SPEECH = /[\uF000-\uF7FF]/;

/** Inline code, and what stands in quotation marks of any kind on one line. */
const QUOTATIONS =
  /`[^`\n]{1,300}`|"[^"\n]{1,400}"|“[^”\n]{1,400}”|„[^“”\n]{1,400}[“”]|«[^»\n]{1,400}»|「[^」\n]{1,400}」|『[^』\n]{1,400}』|‘[^’\n]{1,300}’(?!\w)|(?<=^|[\s(:])'[^'\n]{2,300}'(?=[\s.,;:!?)]|$)/gm;
/** Five words, or eight characters of a script without spaces. */
const LONG_QUOTATION = /^[^`]\s*(\S+\s+){4,}\S|(?:\p{Script=Han}.*?){8}/u;

export interface Hiding {
  /** The line with one character in the place of each quotation. */
  hide(line: string): string;
  /** Puts the quotations back into a piece of what was hidden. */
  restore(piece: string): string;
}

/** Takes out what is quoted, so that no word in it counts, and a full stop in it ends no sentence. For one text. */
export function createHiding(): Hiding {
  const quotations = new Map<string, string>();
  const counts = { short: 0, long: 0 };
  return {
    hide: (line) =>
      line.replace(HIDDEN, " ").replace(QUOTATIONS, (quotation) => {
        const length = LONG_QUOTATION.test(quotation) ? "long" : "short";
        const { first, most } = length === "long" ? LONG : SHORT;
        // More than anybody writes: the last place stands for all others.
        const place = Math.min(counts[length]++, most - 1);
        const character = String.fromCharCode(first + place);
        quotations.set(character, quotation);
        return character;
      }),
    restore: (piece) => piece.replace(HIDDEN, (character) => quotations.get(character) ?? character),
  };
}

const OPENING = /<([a-z][\w-]{0,60})(?:\s[^<>]{0,300})?>/gi;
const CLOSING = /<\/([a-z][\w-]{0,60})>/gi;

/** The text without what stands between `<x>` and `</x>`: who writes that has put something in. */
export function* dropTagged(text: string): Sliced<string> {
  const closings = yield* findClosings(text);
  const kept: string[] = [];
  let at = 0;
  for (const match of text.matchAll(OPENING)) {
    yield;
    if (match.index < at) continue;
    const ends = closings.get((match[1] ?? "").toLowerCase()) ?? [];
    // Both go on through the text in step, so that no closing is looked at twice.
    while ((ends.at(-1)?.start ?? Number.POSITIVE_INFINITY) < match.index) ends.pop();
    const end = ends.pop();
    if (!end) continue;
    kept.push(text.slice(at, match.index), "\n\n");
    at = end.end;
  }
  return kept.join("") + text.slice(at);
}

/** By name where each closing stands, the first one last. */
function* findClosings(text: string): Sliced<Map<string, { start: number; end: number }[]>> {
  const found = new Map<string, { start: number; end: number }[]>();
  for (const { 0: whole, 1: name = "", index } of text.matchAll(CLOSING)) {
    yield;
    const place = { start: index, end: index + whole.length };
    const places = found.get(name.toLowerCase());
    if (places) places.push(place);
    else found.set(name.toLowerCase(), [place]);
  }
  for (const places of found.values()) places.reverse();
  return found;
}
