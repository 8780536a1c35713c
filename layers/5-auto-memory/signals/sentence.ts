/** A sentence in its context: what speaks against it, and what the ones beside it say of it. Pure. */

import type { Doubt, Language } from "../../../src/language/language.js";
import { languageOf } from "../../../src/language/languages.js";
import { createHiding, SPEECH } from "./quotations.js";

/** A sentence with what its doubts are looked for in. */
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

/** What speaks against a sentence as a lasting statement. */
export function findDoubts(sentence: string): readonly Doubt[] {
  return readSentence(createHiding().hide(sentence)).doubts;
}

/** The sentence, with the next one where that gives its reason. */
export function readWhole(sentences: readonly Sentence[], index: number): string {
  const [sentence, next] = sentences.slice(index, index + 2);
  if (!sentence || !next?.language.continues.test(next.text)) return sentence?.text ?? "";
  return `${sentence.text}${sentence.language.name === "Chinese" ? "" : " "}${next.text}`;
}

/** "Thinking out loud. SQLite is simple." and "Great, another rule 🙄. Next they count our steps." */
export function findCarried(sentences: readonly Sentence[], index: number): Doubt[] {
  const isMused = sentences.slice(0, index).some(({ isMusing }) => isMusing);
  const isSarcastic = sentences[index - 1]?.doubts.includes("sarcasm");
  return [...(isMused ? ["hypothetical" as const] : []), ...(isSarcastic ? ["sarcasm" as const] : [])];
}

/** "That's wrong. The file lies in etc." */
export function isCorrected(sentences: readonly Sentence[], index: number): boolean {
  const before = sentences[index - 1];
  const sentence = sentences[index];
  if (!before || !sentence?.language.bareCorrection.test(before.text)) return false;
  return sentence.doubts.length === 0 && sentence.language.states.test(sentence.text);
}
