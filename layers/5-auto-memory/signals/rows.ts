/** Matches a language's rows against a sentence in its context. Pure. */

import type { Doubt, Language } from "../../../src/language/language.js";
import { languageOf } from "../../../src/language/languages.js";
import type { MemoryType } from "../../../src/memory/memory.js";
import { createHiding, SPEECH } from "./quotations.js";
import type { SignalRow } from "./rows/row.js";
import { rowsOf } from "./rows/rows.js";

/** A sentence with what the rows are tried on. Read once, for that is most of the work. */
export interface Sentence {
  text: string;
  language: Language;
  /** With the words that only open it, and without. */
  forms: readonly string[];
  doubts: readonly Doubt[];
  /** What follows is only thought about. */
  isMusing: boolean;
}

export function readSentence(text: string): Sentence {
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

export interface Found {
  type: MemoryType;
  text: string;
  /** The sentence before says that something was wrong, this one what is right. */
  isCorrection: boolean;
}

/** Whether a row matches the sentence on its own. */
export function fitsRow(text: string): boolean {
  return findRow(readSentence(createHiding().hide(text))) !== undefined;
}

type RowKind = Pick<SignalRow, "type" | "isExplicit">;

const LISTED: RowKind = { type: "directive", isExplicit: true };
const CORRECTED: RowKind = { type: "feedback" };

/** The signal in a sentence, together with the sentence that gives its reason. */
export function findInSentence(
  sentences: readonly Sentence[],
  index: number,
  isRule: boolean,
): Found | undefined {
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
  return (
    row && {
      type: row.type,
      text: whole.text,
      isCorrection: corrected !== undefined,
    }
  );
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
  return rowsOf(language).find(
    ({ despite = [], isExplicit, patterns }) =>
      (isExplicit || carried.length === 0) &&
      doubts.every((doubt) => despite.includes(doubt)) &&
      fits(forms, patterns),
  );
}

/** "Thinking out loud. SQLite is simple." and "Great, another rule 🙄. Next they count our steps." */
export function findCarried(sentences: readonly Sentence[], index: number): Doubt[] {
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

/** Whether the sentence may be a correction; an explicit row in it still says otherwise. */
export const mayCorrect = (sentences: readonly Sentence[], index: number): boolean =>
  findCorrected(sentences, index) !== undefined;

/** "That's wrong. The file lies in etc." */
function findCorrected(sentences: readonly Sentence[], index: number): RowKind | undefined {
  const before = sentences[index - 1];
  const sentence = sentences[index];
  if (!before || !sentence?.language.bareCorrection.test(before.text)) return undefined;
  return sentence.doubts.length === 0 && sentence.language.states.test(sentence.text) ? CORRECTED : undefined;
}
