/**
 * Finds sentences that hold for the rest of a session: the user's rules and corrections, and the agent's decisions with
 * reasons. Matches words from the languages' data files and keeps the sentences verbatim. What outlasts the session is
 * for a judge: layers/5-auto-memory/judge.
 */
import type { SessionRuleRow } from "../text/language/language.js";
import { languages } from "../text/language/languages.js";
import { splitSentences } from "../text/language/sentences.js";

export interface FoundRule {
  kind: SessionRuleRow["kind"];
  text: string;
}

const SHORTEST_REASON = 20;
const MOST_RULES_OF_A_MESSAGE = 40;
const MOST_REASONS_OF_A_MESSAGE = 5;

/** Rules and corrections in a user's text, in order and verbatim, one line each. */
export function findRules(text: string): FoundRule[] {
  const rows = listRows();
  const found: FoundRule[] = [];
  for (const sentence of splitSentences(text)) {
    const isQuestion = /[?？]["')\]]?$/.test(sentence);
    const row = rows.find(
      ({ pattern, alsoInQuestions }) => (!isQuestion || alsoInQuestions) && pattern.test(sentence),
    );
    if (row) found.push({ kind: row.kind, text: sentence });
    if (found.length === MOST_RULES_OF_A_MESSAGE) break;
  }
  return found;
}

/** Sentences in which an agent gives the reason for a decision. */
export function findReasons(text: string): string[] {
  return splitSentences(text)
    .filter((sentence) => sentence.length >= SHORTEST_REASON && hasReason(sentence))
    .slice(0, MOST_REASONS_OF_A_MESSAGE);
}

const hasReason = (sentence: string): boolean => languages.some(({ reasons }) => reasons.test(sentence));

/** Rows of all languages, because people mix them; corrections first. */
function listRows(): SessionRuleRow[] {
  const rows = languages.flatMap(({ sessionRules }) => sessionRules);
  return [...rows.filter(({ kind }) => kind === "correction"), ...rows.filter(({ kind }) => kind === "rule")];
}
