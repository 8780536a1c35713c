import { languageOf } from "../../src/text/language/languages.js";
import { cut } from "../../src/text/text.js";
import { findTriggers } from "./words/triggers.js";

/** In characters; longer pieces of code are not commands. */
const LONGEST = 60;
const MOST = 8;
/** Maximum length of a memory, in characters. */
const LOOKED_AT = 8_000;

/** The triggers of a rule: commands and paths that it names, in code or plain text, or describes. Pure. */
export function findWhen(text: string): string[] {
  const rule = cut(text, LOOKED_AT);
  const code = [...rule.matchAll(/`([^`\n]+)`/g)].map(([, piece = ""]) => piece.trim());
  const commands = code.filter((piece) => piece.length <= LONGEST && /[a-z]{2}/i.test(piece));
  return [...new Set([...commands, ...findTriggers(rule, languageOf(rule))])].slice(0, MOST);
}
