/** Words that turn a statement round. Pure. */

const CONTRACTED =
  "\\w+n['’]t|(?:do|does|did|is|are|was|were|has|have|had|ca|wo|would|should|could|must|need)nt";
/** Tells what was not; nothing is ruled out by it. */
const PAST = "(?!(?:did|was|were|had|has|have)n['’]?t\\b)";
/** For patterns of words that turn something round, with flag "i"; the second one is of characters without spaces. */
export const NEGATIVE = `not|never|no|without|cannot|${CONTRACTED}`;
/** One that says nothing but that. */
export const NEGATIVE_WORD = new RegExp(`^${PAST}(?:not|never|no|cannot|${CONTRACTED})$`, "i");
export const NEGATIVE_HAN = "不别勿禁没无";

const pattern = (words: string, flags: string): RegExp =>
  new RegExp(`\\b${words}\\b|[${NEGATIVE_HAN}]|避免`, flags);
const ANY = `(?:${NEGATIVE}|avoid|stop|forbid(?:den)?)`;
const NEGATION = pattern(ANY, "giu");
const RULING_OUT = pattern(`${PAST}${ANY}`, "iu");
/** "No, use tabs" forbids nothing. */
const INTERJECTION = /^(no|nope|nah|wait|stop)\s*[,.!:;–—-]+\s*/i;

/** Does it rule something out? */
export const isNegative = (text: string): boolean => RULING_OUT.test(withoutInterjection(text));

/** Is what it says turned round? What is turned round twice is not. */
export const isNegated = (text: string): boolean =>
  [...withoutInterjection(text).matchAll(NEGATION)].length % 2 === 1;

const withoutInterjection = (text: string): string => text.replace(INTERJECTION, "");
