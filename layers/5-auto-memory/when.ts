import { languageOf } from "../../src/language/languages.js";
import { cut } from "../../src/text.js";
import { findTriggers } from "./signals/triggers.js";

/** A longer piece of code is no command that one would wait for. */
const LONGEST = 60;
const MOST = 8;
/** No rule is longer: what a memory may hold. */
const LOOKED_AT = 8_000;

/** What a rule waits for: the commands and paths it names, in code or as they stand, or speaks of. Pure. */
export function findWhen(text: string): string[] {
  const rule = cut(text, LOOKED_AT);
  const code = [...rule.matchAll(/`([^`\n]+)`/g)].map(([, piece = ""]) => piece.trim());
  const commands = code.filter((piece) => piece.length <= LONGEST && /[a-z]{2}/i.test(piece));
  return [...new Set([...commands, ...findTriggers(rule, languageOf(rule))])].slice(0, MOST);
}
