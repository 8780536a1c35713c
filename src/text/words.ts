/**
 * The words of a statement: normalises spelling, extracts the words that carry meaning, and measures how far two texts
 * share them. Pure.
 */

/** Unifies wide characters, minus signs and apostrophes, and drops invisible marks. Case and spaces stay. */
export function normalise(text: string): string {
  return (
    text
      // Not NFKC, which turns 10⁵ into 105.
      .normalize("NFC")
      .replace(/\p{Cf}/gu, "")
      .replace(/[！-～]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
      .replaceAll("−", "-")
      .replaceAll("’", "'")
  );
}

const WORD = /[#!&]\d+|[\p{L}\p{N}][\p{L}\p{N}_./@'-]*/gu;
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]/u;
const RUNS = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]+|[^\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]+/gu;

/** Function words that any statement may have. */
export const FILLERS: ReadonlySet<string> = new Set(
  "the a an is are was were be of to in on at for and or we it this that".split(" "),
);
/** Words that differ between an agent's wording and the user's. */
const PERSONS = new Set("these those with as by i you he she they please s t".split(" "));

/**
 * Words in the singular, names and paths whole; pairs of characters for scripts without spaces. Omits fillers, the
 * caller's `empty` words, and negations.
 */
export const readWords = (text: string, empty?: ReadonlySet<string>): Set<string> =>
  split(text, { simplify: toSingular, splitRun: pairsOf, empty });

/**
 * Stems for finding a text's subject: "pushing" is "push", and for scripts without spaces each character is a word. Too
 * coarse to decide that two texts say the same.
 */
export const readStems = (text: string): Set<string> =>
  split(text, { simplify: toStem, splitRun: (characters) => [...characters], empty: PERSONS });

interface Splitting {
  simplify(word: string): string;
  splitRun(characters: readonly string[]): string[];
  empty?: ReadonlySet<string> | undefined;
}

function split(text: string, { empty, simplify, splitRun }: Splitting): Set<string> {
  const isSaying = (word: string): boolean =>
    word !== "" && !FILLERS.has(word) && !empty?.has(word) && !NEGATIVE_WORD.test(word);
  const words = (normalise(text).toLowerCase().match(WORD) ?? [])
    .filter(isSaying)
    .flatMap((word) => word.match(RUNS) ?? [])
    .flatMap((run) => (UNSPACED.test(run) ? splitRun([...run]) : [simplify(run)]));
  return new Set(words.filter(isSaying));
}

/** "Tests'" is "test". */
function toSingular(word: string): string {
  const bare = word.replace(/[./'-]+$/, "").replace(/'s$/, "");
  return bare.length > 3 && /^[\p{L}-]+[^s]s$/u.test(bare) ? bare.slice(0, -1) : bare;
}

const toStem = (word: string): string => toSingular(word).replace(/(?<=\p{L}{3})(s|es|ed|ing)$/u, "");

const pairsOf = (characters: readonly string[]): string[] =>
  characters.slice(1).map((character, index) => `${characters[index]}${character}`);

export function countShared(wanted: ReadonlySet<string>, given: ReadonlySet<string>): number {
  let shared = 0;
  for (const word of wanted) if (given.has(word)) shared++;
  return shared;
}

/** Jaccard overlap of two sets of words: 0 to 1. */
export function overlapOf(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const shared = countShared(one, other);
  const all = one.size + other.size - shared;
  return all === 0 ? 0 : shared / all;
}

/** Share of the first set's words found in the second: 0 to 1; 1 if the first is empty. */
export function coverageOf(words: ReadonlySet<string>, by: ReadonlySet<string>): number {
  return words.size === 0 ? 1 : countShared(words, by) / words.size;
}

/* Words that negate a statement. Pure. */

const CONTRACTED =
  "\\w+n['’]t|(?:do|does|did|is|are|was|were|has|have|had|ca|wo|would|should|could|must|need)nt";
/** Excludes past tense: it reports what was not, and forbids nothing. */
const PAST = "(?!(?:did|was|were|had|has|have)n['’]?t\\b)";
/** Negations for patterns with flag "i"; `NEGATIVE_HAN` is a set of Chinese characters. */
export const NEGATIVE = `not|never|no|without|cannot|${CONTRACTED}`;
/** A word that is only a negation. */
export const NEGATIVE_WORD = new RegExp(`^${PAST}(?:not|never|no|cannot|${CONTRACTED})$`, "i");
export const NEGATIVE_HAN = "不别勿禁没无";

const pattern = (words: string, flags: string): RegExp =>
  new RegExp(`\\b${words}\\b|[${NEGATIVE_HAN}]|避免`, flags);
const ANY = `(?:${NEGATIVE}|avoid|stop|forbid(?:den)?)`;
const NEGATION = pattern(ANY, "giu");
const RULING_OUT = pattern(`${PAST}${ANY}`, "iu");
/** "No, use tabs" forbids nothing. */
const INTERJECTION = /^(no|nope|nah|wait|stop)\s*[,.!:;–—-]+\s*/i;

/** True if it rules something out. */
export const isNegative = (text: string): boolean => RULING_OUT.test(withoutInterjection(text));

/** True if the statement is negated; two negations cancel out. */
export const isNegated = (text: string): boolean =>
  [...withoutInterjection(text).matchAll(NEGATION)].length % 2 === 1;

const withoutInterjection = (text: string): string => text.replace(INTERJECTION, "");
