/** Words that negate a statement. Pure. */

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
