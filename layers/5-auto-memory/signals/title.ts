import { languageOf } from "../../../src/language/languages.js";
import { cut } from "../../../src/text.js";

const LONGEST = 64;
/** What stands behind so much is in no title. */
const LOOKED_AT = 600;
/** Where a sentence can end early; what stands before a conjunction is less whole than what a comma ends. */
const CLAUSE = /^.{20,}(?=[,;:，；：—(]\s?| because | since | so that |因为|由于)/u;
const CONJUNCTION = /^.{20,}(?= (?:until|unless|before|after|when|whenever|if|while|which|where|but|so) )/iu;
const CLOSING = /[\s.。!！;；,，:：]+$/u;

/** A short title for a sentence: without the words that only open it, ended at a clause where there is one. */
export function formatTitle(sentence: string): string {
  const whole = cut(sentence, LOOKED_AT).replace(CLOSING, "");
  const bare = whole.replace(languageOf(whole).opening, "");
  const line = shorten(/\p{L}/u.test(bare) ? bare : whole);
  return line.charAt(0).toUpperCase() + line.slice(1);
}

function shorten(line: string): string {
  if (line.length <= LONGEST) return line;
  const head = cut(line, LONGEST);
  const clause = CLAUSE.exec(head)?.[0] ?? CONJUNCTION.exec(head)?.[0];
  const word = /^.{20,}(?=\s)/u.exec(head)?.[0] ?? head;
  const end = (piece: string): string => piece.replace(/[\s,;:，；：—(-]+$/u, "");
  return clause === undefined ? `${end(word)}…` : end(clause);
}
