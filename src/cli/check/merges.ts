/**
 * Finds which memories another one fully contains, and which contradict each other. Cautious: texts that share nearly all
 * words may still say different things, and a wrong merge loses a fact.
 *
 *     the same sentences in the same order, in other wording     either may stay
 *     all sentences of one among those of the other, in order    the longer one stays
 *     a sentence continued with its reason                       the longer one stays
 *
 * Pure.
 */
import { relate } from "../../memory/gate/gate.js";
import {
  areBothKept,
  compareWorth,
  findContradictions as findContradictory,
  findDuplicates,
  findNearPairs,
  isOfOneKind,
  isProtected,
  mergeMetadata,
  type Pair,
} from "../../memory/likeness.js";
import type { Memory } from "../../memory/memory.js";
import type { PlannedChange } from "../../memory/store/store.js";
import { createComparison } from "../../text/compare.js";
import { readMeaning } from "../../text/wording.js";

export interface Merge {
  survivor: Memory;
  others: readonly Memory[];
}

/** Each memory is in at most one merge. Never archives pinned memories, directives, decisions or corrections. */
export function planMerges(memories: readonly Memory[]): Merge[] {
  const merges = new Map<string, { survivor: Memory; others: Memory[] }>();
  const going = new Set<string>();
  const add = (survivor: Memory, gone: Memory): void => {
    if (isProtected(gone) || going.has(gone.id) || going.has(survivor.id) || merges.has(gone.id)) return;
    going.add(gone.id);
    const merge = merges.get(survivor.id) ?? { survivor, others: [] };
    merge.others.push(gone);
    merges.set(survivor.id, merge);
  };
  for (const { others, survivor } of findDuplicates(memories))
    for (const other of others) add(survivor, other);
  for (const [one, other] of findNearPairs(memories)) {
    const planned = planPair(one, other);
    if (planned) add(...planned);
  }
  return [...merges.values()];
}

/** The survivor with what is only in the others, and the others archived. */
export function toChanges({ others, survivor }: Merge): PlannedChange[] {
  const reason = `takes in ${others.map(({ id }) => id).join(", ")}`;
  return [
    { before: survivor, after: mergeMetadata(survivor, others), reason },
    ...others.map((before) => ({
      before,
      after: { ...before, status: "archived" as const, supersededBy: survivor.id },
      reason: `${survivor.id} says it`,
    })),
  ];
}

/** Of memories that share most words, by the gate's comparison; of those with one title, by numbers and names. */
export function findContradictions(memories: readonly Memory[]): Pair[] {
  const compare = createComparison();
  const near = findNearPairs(memories)
    .map(sortByAge)
    .filter(
      ([older, newer]) =>
        older.scope === newer.scope &&
        older.sensitivity === newer.sensitivity &&
        !areBothKept(older, newer) &&
        relate(newer, older, compare) === "contradicts",
    );
  const found = [...near, ...findContradictory(memories).map(sortByAge)];
  return [...new Map(found.map((pair) => [pair.map(({ id }) => id).join(" "), pair])).values()];
}

const sortByAge = ([one, other]: Pair): Pair => (one.updated <= other.updated ? [one, other] : [other, one]);

/** The containing memory, then the contained one; `undefined` if neither contains the other. */
function planPair(one: Memory, other: Memory): readonly [survivor: Memory, gone: Memory] | undefined {
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
