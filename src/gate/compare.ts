/**
 * How two memories stand to each other, by their words alone: the same said again, the opposite, or something else.
 * Careful rather than clever: what is not plain is "other", so that nothing is taken for outdated that only resembles.
 */

import { languageOf } from "../language/languages.js";
import { cut } from "../text.js";

export type Relation = "same" | "contradicts" | "other";

/** How a later statement stands to an earlier one. Pure. */
export function compareStatements(later: string, earlier: string): Relation {
  const a = readStatement(later);
  const b = readStatement(earlier);
  if (a.normal === b.normal && a.isNegated === b.isNegated) return "same";
  if (isRejected(a, b)) return "contradicts";
  // Each speaks of something that the other does not: production and staging, commits and releases.
  if (hasOwn(a.words, b.words) && hasOwn(b.words, a.words)) return "other";
  const likeness = measureLikeness(a.words, b.words);
  const doNumbersDiffer = a.numbers.size > 0 && b.numbers.size > 0 && !hasCommon(a.numbers, b.numbers);
  if (doNumbersDiffer)
    return likeness.jaccard >= LIKE && a.isNegated === b.isNegated ? "contradicts" : "other";
  const isAlike =
    likeness.jaccard >= SAME || (likeness.overlap >= WITHIN && Math.min(a.words.size, b.words.size) >= 3);
  if (!isAlike) return "other";
  return a.isNegated === b.isNegated ? "same" : "contradicts";
}

/** Of the words of both together, so many are in both: enough to speak of the same thing … */
const LIKE = 0.6;
/** … and to say the same of it. */
const SAME = 0.7;
/** Of the words of the shorter, so many are in the longer. */
const WITHIN = 0.9;

interface Statement {
  normal: string;
  /** What it affirms, without numbers. */
  words: Set<string>;
  numbers: Set<string>;
  /** What it turns down: "not npm", "instead of npm". */
  rejected: Set<string>;
  isNegated: boolean;
}

const REJECTS =
  /(?:,? (?:and )?not|\binstead of|\brather than|\bno longer|\bany ?more than|\bover|而不是|不是|不再用|不再使用|不用)\s*((?:[\w./@-]+\s?){1,3}|[\p{Script=Han}\w./@-]{1,12})/giu;
const NEGATIONS =
  /\b(never|not|no|don'?t|do not|mustn'?t|cannot|can'?t|avoid|without|stop)\b|不要|不能|不许|不得|禁止|别|勿|永远不|避免/gi;
/** Say nothing about what a statement is about. */
const EMPTY_WORDS = new Set(
  "a an the is are was were be been to of in on at for with by from and or but so we i you it its our my your this that always never not no do don't dont please must should use used uses using prefer want will can every each all any only now here there have has let let's go going us as if then than when just also still more remember note because since everything everywhere anything currently project repo repository codebase".split(
    " ",
  ),
);

/** What stands behind so much is no statement any more, but a text. */
const LOOKED_AT = 8_000;

function readStatement(text: string): Statement {
  // "No, …" turns down what somebody else said, not what follows.
  const statement = cut(text, LOOKED_AT);
  const lower = statement.toLowerCase().replaceAll("’", "'").replace(languageOf(statement).opening, "");
  const rejected = new Set([...lower.matchAll(REJECTS)].flatMap((match) => [...findWords(match[1] ?? "")]));
  const affirmed = lower.replace(REJECTS, " ");
  const all = findWords(affirmed);
  const numbers = new Set([...all].filter((word) => /^v?\d[\d.:]*$/.test(word)));
  return {
    normal: [...findWords(lower)].join(" "),
    words: new Set([...all].filter((word) => !numbers.has(word))),
    numbers,
    rejected: new Set([...rejected].filter((word) => !all.has(word))),
    isNegated: [...affirmed.matchAll(NEGATIONS)].length % 2 === 1,
  };
}

/** Words in their simplest form; of scripts without spaces, pairs of characters. */
function findWords(text: string): Set<string> {
  const words = (text.match(/[#!&]\d+|[\p{L}\p{N}][\p{L}\p{N}_./@'-]*/gu) ?? [])
    .filter((word) => !EMPTY_WORDS.has(word))
    .flatMap((word) => (/\p{Script=Han}/u.test(word) ? pair(word) : [simplify(word)]));
  return new Set(words.filter((word) => word !== "" && !EMPTY_WORDS.has(word)));
}

function simplify(word: string): string {
  const bare = word.replace(/[./'-]+$/, "").replace(/'s$/, "");
  return bare.length > 3 && /[^s]s$/.test(bare) ? bare.slice(0, -1) : bare;
}

function pair(word: string): string[] {
  const runs = word.match(/\p{Script=Han}+|[^\p{Script=Han}]+/gu) ?? [];
  return runs.flatMap((run) => {
    if (!/\p{Script=Han}/u.test(run)) return [simplify(run)];
    const characters = [...run];
    return characters.length < 2
      ? []
      : characters.slice(1).map((character, index) => `${characters[index]}${character}`);
  });
}

/** Is it what the later statement turns down that the earlier one was about? */
function isRejected({ rejected, words, numbers }: Statement, earlier: Statement): boolean {
  const turnedDown = [...rejected].filter((word) => earlier.words.has(word) || earlier.numbers.has(word));
  if (turnedDown.length === 0 || earlier.isNegated) return false;
  // "Spaces, not tabs, in Python" says nothing of tabs in Makefiles.
  const left = [...earlier.words, ...earlier.numbers].filter((word) => !turnedDown.includes(word));
  return left.every((word) => words.has(word) || numbers.has(word));
}

function measureLikeness(
  a: ReadonlySet<string>,
  b: ReadonlySet<string>,
): { jaccard: number; overlap: number } {
  const common = [...a].filter((word) => b.has(word)).length;
  const all = a.size + b.size - common;
  return {
    jaccard: all === 0 ? 0 : common / all,
    overlap: common === 0 ? 0 : common / Math.min(a.size, b.size),
  };
}

function hasOwn(words: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
  return [...words].some((word) => !others.has(word));
}

function hasCommon(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return [...a].some((word) => b.has(word));
}
