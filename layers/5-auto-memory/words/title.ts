import { languageOf } from "../../../src/text/language/languages.js";
import { cut } from "../../../src/text/text.js";

/** In brackets; the last one may be cut. */
const ASIDE = /\s?[(（][^()（）]{0,300}[)）]/gu;
const OPEN_ASIDE = /\s?[(（][^()（）]*$/u;

/** The text without what stands in brackets. */
export const dropAsides = (text: string): string => text.replace(ASIDE, "").replace(OPEN_ASIDE, "");

/** What fits on a line of the list of memories. */
const SHORT = 64;
/** Where no clause ends earlier; what a memory's file takes is a little more. */
const LONGEST = 110;
/** What stands behind so much is in no title. */
const LOOKED_AT = 600;
/** Where a sentence can end early; what stands before a conjunction is less whole than what a comma ends. */
const CLAUSE =
  /^.{20,}(?=[,;，；](?:\s|$|\p{Script=Han})| [—–-] | ?—| because | since | so that |因为|由于)/u;
const CONJUNCTION = /^.{20,}(?= (?:until|unless|before|after|when|whenever|if|while|which|where|but|so) )/iu;
/** Where a sentence without such an end can be cut: what is left is still a statement. */
const PHRASE =
  /^.{20,}(?=[:：]\s| (?:and|or|that|with|without|during|for|from|to|in|on|by|as|e|y|и|et|und|che|que|что|dass) )/iu;
const CLOSING = /[\s.…。!！;；,，:：、]+$/u;
/** Marks of a list, a heading or a quotation, and other signs that are no words. */
const LEADING =
  /^(?:[\s\-–—*#>•·~|=…]|\.{2,}|\[[ xX]\]\s|\d{1,3}[.)、](?=[\s\p{Script=Han}])|\p{Extended_Pictographic}|\ufe0f)*/u;
/** A sentence that begins with its verb has lost its subject. */
const VERB_FIRST =
  /^(?:is|are|was|were|has|have|had|does|do not|don't|must|should|shall|can|cannot|can't|may|will|would|isn't|aren't|doesn't)\b/i;

/** A short title for a sentence: a whole clause of its words, without those that only open it. */
export function formatTitle(sentence: string): string {
  const looked = cut(sentence, LOOKED_AT);
  const whole = (looked.replace(LEADING, "") || looked).replace(CLOSING, "");
  const bare = whole.replace(languageOf(whole).opening, "").replace(LEADING, "");
  const isWhole = /\p{L}/u.test(bare) && !(bare !== whole && VERB_FIRST.test(bare));
  const line = shorten(isWhole ? bare : whole);
  return line.charAt(0).toUpperCase() + line.slice(1);
}

/** To the end of the longest clause that is short, else of one that is not too long, else of a word. */
function shorten(whole: string): string {
  if (whole.length <= SHORT) return whole;
  const line = clean(dropAsides(whole)) || whole;
  if (line.length <= SHORT) return line;
  const clause = longestWithin(line, CLAUSE) ?? longestWithin(line, CONJUNCTION);
  if (clause !== undefined) return clean(clause);
  if (line.length <= LONGEST) return line;
  const head = cut(line, LONGEST);
  const endings = [CLAUSE, CONJUNCTION, PHRASE, /^.{20,}(?=\s)/u];
  return clean(endings.map((one) => one.exec(head)?.[0]).find((one) => one !== undefined) ?? head);
}

function longestWithin(line: string, ending: RegExp): string | undefined {
  return ending.exec(cut(line, SHORT + 1))?.[0];
}

const clean = (piece: string): string => piece.replace(/[\s,;:，；：、—–(（-]+$/u, "");
