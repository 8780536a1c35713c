/**
 * Signals: sentences of the user's that will matter in another session. Found without a model, by the words in the
 * languages' data files, and kept as they were written. Pure.
 *
 *     text → own lines → sentences, quotations hidden → doubts → the first row that fits → a signal
 */

import type { Doubt, Language, SignalRow } from "../../../src/language/language.js";
import { languageOf, languages } from "../../../src/language/languages.js";
import {
  type Line,
  LONGEST_SENTENCE,
  LOOKED_AT,
  MOST_SENTENCES,
  readOwnLines,
  splitLine,
} from "../../../src/language/sentences.js";
import type { MemoryType } from "../../../src/memory/memory.js";
import type { Sliced } from "../../../src/slices.js";
import { cut } from "../../../src/text.js";
import { createHiding, dropTagged, SPEECH } from "./quotations.js";
import { findTriggers } from "./triggers.js";

export interface Signal {
  type: MemoryType;
  /** In the user's words, on one line. */
  text: string;
  /** Words and globs at which it matters, as in a memory's `when`. */
  when: readonly string[];
  /** Plainly meant to last; a model may reword it and not drop it. */
  isExplicit: boolean;
}

const MOST_SIGNALS = 20;

/** The signals in what a user wrote, in its order; never two with the same words. */
export function* lookForSignals(text: string): Sliced<Signal[]> {
  const { paragraphs, restore } = yield* readOwn(text);
  const found = new Map<string, Signal>();
  let left = MOST_SENTENCES;
  for (const paragraph of paragraphs) {
    let areRules = false;
    for (const line of paragraph) {
      if (!line.isItem) areRules = hasEnding(line, ({ introducesRules }) => introducesRules);
      const sentences = yield* readSentences(line, left);
      left -= sentences.length;
      for (const index of sentences.keys()) {
        yield;
        const signal = findInSentence(sentences, index, line.isItem && areRules);
        if (!signal) continue;
        const described = { ...signal, ...describe(signal.text, restore) };
        const key = described.text.toLowerCase();
        if (!found.has(key)) found.set(key, described);
        if (found.size === MOST_SIGNALS) return [...found.values()];
      }
    }
  }
  return [...found.values()];
}

/** A line of the user's own. */
export interface OwnLine {
  sentences: readonly string[];
  /** Of a list. */
  isItem: boolean;
}

/** What the user wrote themselves; the lines of a paragraph follow each other without a gap or a paste between them. */
export function* readOwnParagraphs(text: string): Sliced<OwnLine[][]> {
  const own = yield* readOwn(text);
  const paragraphs: OwnLine[][] = [];
  let left = MOST_SENTENCES;
  for (const lines of own.paragraphs) {
    for (const [index, { isBehindPaste, isItem, text }] of lines.entries()) {
      if (index === 0 || isBehindPaste) paragraphs.push([]);
      yield;
      const sentences = dropQuoted(splitLine(text).slice(0, left)).map(own.restore);
      left -= sentences.length;
      if (sentences.length > 0) paragraphs.at(-1)?.push({ sentences, isItem });
    }
  }
  return paragraphs;
}

/** The sentences that signals are looked for in: what the user wrote themselves. */
export function* readOwnSentences(text: string): Sliced<string[]> {
  const paragraphs = yield* readOwnParagraphs(text);
  return paragraphs.flatMap((lines) => lines.flatMap(({ sentences }) => sentences));
}

/** The sentences of a line before the one after whose colon somebody else speaks. */
function dropQuoted(sentences: readonly string[]): readonly string[] {
  const foreign = sentences.findIndex(quotesOthers);
  return foreign === -1 ? sentences : sentences.slice(0, foreign);
}

function quotesOthers(sentence: string): boolean {
  return languages.some((language) => language.quotesOthers.test(sentence));
}

interface Own {
  paragraphs: Line[][];
  restore(piece: string): string;
}

/** What the user wrote themselves, quotations hidden. */
function* readOwn(text: string): Sliced<Own> {
  const { hide, restore } = createHiding();
  const untagged = yield* dropTagged(cut(text, LOOKED_AT));
  const lines = yield* readOwnLines(untagged, hide);
  return { paragraphs: yield* dropOthers(lines), restore };
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
  if (next && !next.isJoined && !next.isItem) return true;
  return hasEnding(line, (language) => language.introducesOthers);
}

/** These ask how the line's last sentence ends; what stands before it need not be looked through. */
function hasEnding({ text }: Line, patternOf: (language: Language) => RegExp): boolean {
  const ending = text.slice(-LONGEST_SENTENCE);
  return languages.some((language) => patternOf(language).test(ending));
}

const endsInColon = (text: string): boolean => /[:：]\s*$/.test(text);

/** At most so many of the line's, up to where somebody else speaks. */
function* readSentences({ text }: Line, most: number): Sliced<Sentence[]> {
  const sentences: Sentence[] = [];
  for (const sentence of splitLine(text).slice(0, most)) {
    yield;
    if (quotesOthers(sentence)) break;
    sentences.push(readSentence(sentence));
  }
  return sentences;
}

function describe(text: string, restore: (piece: string) => string): Pick<Signal, "text" | "when"> {
  const restored = restore(text);
  return { text: restored, when: findTriggers(restored, languageOf(text)) };
}

/** A sentence with what the rows are tried on. Read once, for that is most of the work. */
interface Sentence {
  text: string;
  language: Language;
  /** With the words that only open it, and without. */
  forms: readonly string[];
  doubts: readonly Doubt[];
  /** What follows is only thought about. */
  isMusing: boolean;
}

function readSentence(text: string): Sentence {
  const language = languageOf(text);
  const forms = readForms(text, language);
  const reasonAt = text.search(language.reasonClause);
  const main = reasonAt < SHORTEST_CLAUSE ? forms : readForms(text.slice(0, reasonAt), language);
  const found = language.doubts.filter(({ doubt, patterns }) =>
    fits(MAIN_CLAUSE_DOUBTS.has(doubt) ? main : forms, patterns),
  );
  const doubts = found.map(({ doubt }) => doubt);
  if (SPEECH.test(text)) doubts.push("reported");
  return { text, language, forms, doubts, isMusing: language.musing.test(text) };
}

/** These are looked for outside of the reason: "we pin it, because the latest one crashes". */
const MAIN_CLAUSE_DOUBTS: ReadonlySet<Doubt> = new Set(["reported", "state"]);
/** A reason that begins earlier has no clause before it that it could be the reason for. */
const SHORTEST_CLAUSE = 4;

function readForms(sentence: string, { opening }: Language): string[] {
  const bare = sentence.replace(opening, "");
  return bare === sentence ? [sentence] : [sentence, bare];
}

/** Without its opening a sentence can only fit where a pattern asks for the beginning. */
function fits([whole = "", bare]: readonly string[], patterns: readonly RegExp[]): boolean {
  return patterns.some(
    (pattern) =>
      pattern.test(whole) || (bare !== undefined && BEGINS.test(pattern.source) && pattern.test(bare)),
  );
}

const BEGINS = /^(\((\?:)?)*\^/;

/** Why a sentence of the user's is none that would hold in another session; empty where nothing speaks against it. */
export function findDoubts(sentence: string): readonly Doubt[] {
  return readSentence(createHiding().hide(sentence)).doubts;
}

type Found = Pick<Signal, "type" | "text" | "isExplicit">;
type RowKind = Pick<SignalRow, "type" | "isExplicit">;

const LISTED: RowKind = { type: "directive", isExplicit: true };
const CORRECTED: RowKind = { type: "feedback" };

/** The signal in a sentence, together with the sentence that gives its reason. */
function findInSentence(sentences: readonly Sentence[], index: number, isRule: boolean): Found | undefined {
  const sentence = sentences[index];
  if (!sentence) return undefined;
  const carried = findCarried(sentences, index);
  const whole = joinReason(sentence, sentences[index + 1]);
  const said =
    findRow(sentence, carried) ??
    (whole === sentence ? undefined : findRow(whole, carried)) ??
    findEmphasised(sentences, index);
  const corrected = said?.isExplicit ? undefined : findCorrected(sentences, index);
  const row = corrected ?? said ?? (isRule ? LISTED : undefined);
  return row && { type: row.type, text: whole.text, isExplicit: row.isExplicit ?? false };
}

/** With the next sentence, where that one gives the reason. */
function joinReason(sentence: Sentence, next: Sentence | undefined): Sentence {
  const { language, text } = sentence;
  if (!next || !language.continues.test(next.text) || findRow(next)) return sentence;
  return readSentence(`${text}${language.name === "Chinese" ? "" : " "}${next.text}`);
}

/** What was said before on the line counts against all but what is plainly meant to last. */
function findRow(
  { doubts, forms, language }: Sentence,
  carried: readonly Doubt[] = [],
): SignalRow | undefined {
  return language.signals.find(
    ({ despite = [], isExplicit, patterns }) =>
      (isExplicit || carried.length === 0) &&
      doubts.every((doubt) => despite.includes(doubt)) &&
      fits(forms, patterns),
  );
}

/** "Thinking out loud. SQLite is simple." and "Great, another rule 🙄. Next they count our steps." */
function findCarried(sentences: readonly Sentence[], index: number): Doubt[] {
  const isMused = sentences.slice(0, index).some(({ isMusing }) => isMusing);
  const isSarcastic = sentences[index - 1]?.doubts.includes("sarcasm");
  return [...(isMused ? ["hypothetical" as const] : []), ...(isSarcastic ? ["sarcasm" as const] : [])];
}

/** "Tests first. Always." */
function findEmphasised(sentences: readonly Sentence[], index: number): RowKind | undefined {
  const next = sentences[index + 1];
  if (!next?.language.emphasis.test(next.text)) return undefined;
  return sentences[index]?.doubts.some((doubt) => doubt !== "task") ? undefined : LISTED;
}

/** "That's wrong. The file lies in etc." */
function findCorrected(sentences: readonly Sentence[], index: number): RowKind | undefined {
  const before = sentences[index - 1];
  const sentence = sentences[index];
  if (!before || !sentence?.language.bareCorrection.test(before.text)) return undefined;
  return sentence.doubts.length === 0 && sentence.language.states.test(sentence.text) ? CORRECTED : undefined;
}
