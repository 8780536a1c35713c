/**
 * Compares two statements by their words: the same, the opposite, or something else. Cautious: every unclear case is
 * "other", so that no memory becomes outdated by mere resemblance.
 */
import { languageOf } from "./language.js";
import { cut } from "./text.js";
import { readMeaning } from "./wording.js";
import { countShared, coverageOf, isNegated, normalise, overlapOf, readWords } from "./words.js";

export type Relation = "same" | "contradicts" | "other";

export type Compare = (later: string, earlier: string) => Relation;

/** The relation of a later statement to an earlier one. Pure. */
export const compareStatements: Compare = (later, earlier) =>
  relate(readStatement(later), readStatement(earlier));

/** The same for many pairs of few statements; reads each once. */
export function createComparison(): Compare {
  const known = new Map<string, Statement>();
  const read = (text: string): Statement => {
    const statement = known.get(text) ?? readStatement(text);
    known.set(text, statement);
    return statement;
  };
  return (later, earlier) => relate(read(later), read(earlier));
}

function relate(a: Statement, b: Statement): Relation {
  if (rejectsEarlier(a, b)) return "contradicts";
  if (a.words.size + b.words.size === 0)
    return a.text !== "" && readMeaning(a.text) === readMeaning(b.text) ? "same" : "other";
  // Each has a subject that the other lacks: production and staging, commits and releases.
  if (hasUnshared(a.words, b.words) && hasUnshared(b.words, a.words)) return "other";
  const likeness = overlapOf(a.words, b.words);
  const [shorter, longer] = a.words.size < b.words.size ? [a.words, b.words] : [b.words, a.words];
  const doNumbersDiffer = a.numbers.size > 0 && b.numbers.size > 0 && countShared(a.numbers, b.numbers) === 0;
  // Of several numbers one may be the subject: server 64 on port 2064, server 65 on port 2065.
  const mayNumberSubjects = a.numbers.size > 1 && b.numbers.size > 1;
  if (doNumbersDiffer) {
    const isAboutSame = likeness >= SAME_SUBJECT && !mayNumberSubjects;
    return isAboutSame && a.isNegated === b.isNegated ? "contradicts" : "other";
  }
  const isWithin = shorter.size >= LEAST_WITHIN && coverageOf(shorter, longer) >= WITHIN;
  const isAlike = likeness >= SAME || isWithin;
  if (!isAlike) return "other";
  return a.isNegated === b.isNegated ? "same" : "contradicts";
}

/** Minimum Jaccard overlap of two statements about the same thing … */
const SAME_SUBJECT = 0.6;
/** … and of two that say the same. */
const SAME = 0.7;
/** Minimum share of the shorter statement's words found in the longer. */
const WITHIN = 0.9;
const LEAST_WITHIN = 3;

/** A statement in the form used for comparison. */
interface Statement {
  text: string;
  /** Affirmed words, without numbers. */
  words: Set<string>;
  numbers: Set<string>;
  /** Rejected words: "not npm", "instead of npm". */
  rejected: Set<string>;
  isNegated: boolean;
}

const REJECTS =
  /(?:,? (?:and )?not|\binstead of|\brather than|\bno longer|\bany ?more than|\bover|而不是|不是|不再用|不再使用|不用)\s*((?:[\w./@-]+\s?){1,3}|[\p{Script=Han}\w./@-]{1,12})/giu;
/** Words that do not indicate a statement's subject. */
const EMPTY_WORDS: ReadonlySet<string> = new Set(
  "but so with from as i you its our my your been so always do must should use used uses using prefer want will can every each all any only now here there have has let let's go going us if then than when just also still more remember note because since everything everywhere anything currently project repo repository codebase".split(
    " ",
  ),
);

/** Characters compared: a longer text is not a statement. */
const LOOKED_AT = 8_000;

function readStatement(text: string): Statement {
  // "No, …" rejects an earlier statement, not what follows.
  const statement = normalise(cut(text, LOOKED_AT));
  const lower = statement.toLowerCase().replace(languageOf(statement).opening, "");
  const rejected = new Set(
    [...lower.matchAll(REJECTS)].flatMap((match) => [...readWords(match[1] ?? "", EMPTY_WORDS)]),
  );
  const affirmed = lower.replace(REJECTS, " ");
  const all = readWords(affirmed, EMPTY_WORDS);
  const numbers = new Set([...all].filter((word) => /^v?\d[\d.:]*$/.test(word)));
  return {
    text: statement,
    words: new Set([...all].filter((word) => !numbers.has(word))),
    numbers,
    rejected: new Set([...rejected].filter((word) => !all.has(word))),
    isNegated: isNegated(affirmed),
  };
}

/** True if the later statement rejects what the earlier one affirmed. */
function rejectsEarlier({ rejected, words, numbers }: Statement, earlier: Statement): boolean {
  const hits = [...rejected].filter((word) => earlier.words.has(word) || earlier.numbers.has(word));
  if (hits.length === 0 || earlier.isNegated) return false;
  // "Spaces, not tabs, in Python" says nothing about tabs in Makefiles.
  const left = [...earlier.words, ...earlier.numbers].filter((word) => !hits.includes(word));
  return left.every((word) => words.has(word) || numbers.has(word));
}

function hasUnshared(words: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
  return countShared(words, others) < words.size;
}
