/**
 * Finds which of two memories on one subject contains the other, so that the other can be archived. Cautious: texts
 * that share nearly all words may still say different things, and a wrong merge loses a fact.
 *
 *     the same sentences in the same order, in other wording     either may stay
 *     all sentences of one among those of the other, in order    the longer one stays
 *     a sentence continued with its reason                       the longer one stays
 *
 * Pure.
 */
import { areBothKept, compareWorth, isOfOneKind } from "../../../layers/6-dream/duplicates.js";
import type { Memory } from "../../memory/memory.js";
import { readMeaning } from "../../statement/wording.js";

export interface Merge {
  survivor: Memory;
  others: readonly Memory[];
}

/** The containing memory, then the contained one; `undefined` if neither contains the other. */
export function planPair(one: Memory, other: Memory): readonly [survivor: Memory, gone: Memory] | undefined {
  if (!isOfOneKind(one, other) || areBothKept(one, other)) return undefined;
  const [a, b] = [readSentences(one.content), readSentences(other.content)];
  const [inOther, inOne] = [isWithin(a, b), isWithin(b, a)];
  if (inOther && inOne) return compareWorth(one, other) <= 0 ? [one, other] : [other, one];
  if (inOther) return [other, one];
  return inOne ? [one, other] : undefined;
}

/** Text with code is compared as a whole, because every character of code counts. */
function readSentences(text: string): readonly string[] {
  const meaning = readMeaning(text);
  return text.includes("```") ? [meaning] : meaning.split(" . ").filter((sentence) => sentence !== "");
}

/** Are the sentences among the others, in the same order, each as it is or continued with a reason? */
function isWithin(sentences: readonly string[], others: readonly string[]): boolean {
  const isSame = sentences.length === others.length;
  // In another text, "it" may refer to something else.
  if (sentences.length === 0 || (!isSame && sentences.some((sentence) => POINTING.test(sentence))))
    return false;
  let next = 0;
  for (const other of others) {
    const sentence = sentences[next];
    if (sentence !== undefined && (other === sentence || isReasoned(other, sentence))) next++;
  }
  return next === sentences.length;
}

const POINTING = /^(?:it|its|this|that|these|those|they|there|then|he|she)(?: |$)/i;
const REASON = /^ (?:because|since|so that) /;
/** Shorter sentences may be cut off in the middle of a name. */
const LEAST_WORDS = 4;

function isReasoned(longer: string, sentence: string): boolean {
  if (!longer.startsWith(`${sentence} `) || sentence.split(" ").length < LEAST_WORDS) return false;
  return REASON.test(longer.slice(sentence.length));
}
