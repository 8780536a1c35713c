/** What a text says, by its form and its words: states, next steps, rules, reasons and names. Pure. */

import { languages, type SessionRuleRow } from "../text/language.js";
import { splitSentences } from "../text/sentences.js";

/* An answer that says something, and not merely thanks, asks, offers, or tells what will be looked at next. */

/** A sentence of nothing else. */
const UTTERED =
  /^(?:(?:ok(?:ay)?|yes|no|sure|right|great|perfect|good|nice|excellent|done|understood|noted|got it|will do|agreed|exactly|of course|certainly|absolutely|thanks?|thank you|you(?:'|’)?re (?:very )?welcome|welcome|no problem|my pleasure|any ?time|sorry|hello|hi|hey|glad|happy|ready|waiting|standing by|sounds good|let me know|feel free|good luck|have (?:a|fun)|enjoy|cheers|bye)\b[^\n]{0,60}|(?:verstanden|danke|bitte|gern|klar|erledigt|alles klar|in ordnung)\b[^\n]{0,40}|(?:好的?|谢谢|不客气|明白|收到|了解)[^\n]{0,20})$/i;
const TELLS = /\d|[a-z][A-Z]|_|`|\/|→/;
const QUESTION = /[?？]["')\]*_]*$/;
const OFFER =
  /\b(?:let me know|if you(?:'d)? (?:want|like|wish|prefer)|feel free|shall i|should i|would you|do you want|ready when you are|anything else)\b/i;
/** What the agent is about to do. */
const INTENDED =
  /^(?:(?:now|next|first|then|so|ok(?:ay)?|good|great|perfect|alright)[,.!:]?\s+)*(?:let(?:'|’)?s|let me|i(?:'|’)?ll|i will|i(?:'|’)?m (?:going|about) to|i need to|i should|i(?:'|’)?m (?:checking|looking|reading|running|waiting|now))\b/i;
/** What it does, without a result. */
const ANNOUNCED = /^(?:now|next|first|then|step \d+|checking|looking|reading|running|waiting)\b/i;

/** Sentences, those of a list or a table included. */
function listSentences(text: string): string[] {
  return text
    .split(/\n+|(?<=[.!?。！？])\s+(?=[\p{L}\d"'`*(])/u)
    .map((sentence) => sentence.replace(/\s+/g, " ").trim())
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));
}

const says = (sentence: string): boolean =>
  !QUESTION.test(sentence) &&
  !OFFER.test(sentence) &&
  !INTENDED.test(sentence) &&
  (!UTTERED.test(sentence) || TELLS.test(sentence));

/** Characters looked at: what an answer says first. */
const LOOKED_AT = 8_000;
/** Characters searched for a next step, and for names. */
const MOST_CHARACTERS = 20_000;

/** Is this answer a state to go on from? */
export function isSubstantive(text: string): boolean {
  return listSentences(text.slice(0, LOOKED_AT)).some(says);
}

/** What an agent has found while it works, with names or numbers; `""` if it only says what comes next. */
export function findFindings(text: string): string {
  return listSentences(text.slice(0, LOOKED_AT))
    .filter((sentence) => says(sentence) && TELLS.test(sentence) && !ANNOUNCED.test(sentence))
    .join(" ");
}

/* The next step that an agent announces at the end of its answer. English only. */

/** "Next: …", "Next steps are …", "Remaining: …", "Still to do: …", "Not done yet: …", at the start of a sentence. */
const NEXT =
  /^\W*(?:the )?(?:next(?: steps?| up)?\b(?=\W|\s+(?:is|are|i|we)\b)|remaining\b|still (?:open|to do|to be done|missing|left)\b|left to do\b|(?:not|nothing) (?:yet )?(?:done|finished|started)\b|(?:i|we) (?:still )?(?:have|need) to\b|(?:i|we) (?:have not|haven't)(?: yet)?\b)/i;
const NO_PLAN = /\?\s*$|\blet me know\b|\bif you (?:want|like|wish)\b/i;

/** The last such sentence with the list after it; `undefined` if there is none. Pure. */
export function findNextStep(text: string): string | undefined {
  const lines = text.slice(-MOST_CHARACTERS).split("\n");
  for (let index = lines.length - 1; index >= 0; index--) {
    const sentences = (lines[index] ?? "").split(/(?<=[.!?])\s+/);
    const at = sentences.findLastIndex((sentence) => NEXT.test(sentence) && !NO_PLAN.test(sentence));
    if (at === -1) continue;
    const items = lines.slice(index + 1).filter((line) => line.trim() !== "");
    const end = items.findIndex((line) => !/^\s*(?:[-*+]|\d+[.)])\s/.test(line));
    return [...sentences.slice(at), ...(end === -1 ? items : items.slice(0, end))].join(" ").trim();
  }
  return undefined;
}

/*
 * Sentences that hold for the rest of a session, verbatim, told by words from the languages' data files. What outlasts
 * the session is for a judge: layers/5-auto-memory/judge.
 */

const SHORTEST_REASON = 20;
const MOST_RULES_OF_A_MESSAGE = 40;
const MOST_REASONS_OF_A_MESSAGE = 5;

/** Rules and corrections in a user's text, in order and verbatim, one line each. */
export function findRules(text: string): { kind: SessionRuleRow["kind"]; text: string }[] {
  const rows = languages.flatMap(({ sessionRules }) => sessionRules);
  // Rows of all languages, because people mix them; corrections first.
  const ordered = [...rows.filter(isCorrection), ...rows.filter((row) => !isCorrection(row))];
  const found = splitSentences(text).flatMap((sentence) => {
    const isQuestion = /[?？]["')\]]?$/.test(sentence);
    const row = ordered.find((one) => (!isQuestion || one.alsoInQuestions) && one.pattern.test(sentence));
    return row ? { kind: row.kind, text: sentence } : [];
  });
  return found.slice(0, MOST_RULES_OF_A_MESSAGE);
}

const isCorrection = ({ kind }: SessionRuleRow): boolean => kind === "correction";

/** Sentences in which an agent gives the reason for a decision. */
export function findReasons(text: string): string[] {
  return splitSentences(text)
    .filter(
      (sentence) =>
        sentence.length >= SHORTEST_REASON && languages.some(({ reasons }) => reasons.test(sentence)),
    )
    .slice(0, MOST_REASONS_OF_A_MESSAGE);
}

/* Names of a project, told from words by their form: identifiers of several words, and paths. */

const NAME = /[A-Za-z_$][\w$]*(?:[a-z\d][A-Z]|_[A-Za-z\d])[\w$]*/g;
const NAME_OR_PATH =
  /(?:[\w@.~-]+\/)+[\w@.-]*\w\.[A-Za-z]\w{0,5}\b|[A-Za-z_$][\w$]*(?:[a-z\d][A-Z]|_[A-Za-z\d])[\w$]*/g;
const LONGEST_NAME = 60;
const LONGEST_PATH = 120;
/** Encoded data: longer than any path, and on it the patterns would take time by the square of its length. */
const ENDLESS = /[\w@.~$/-]{300,}/g;

/** Identifiers, each once, the most frequent first. */
export function findNames(text: string, limit: number): string[] {
  return count(text, NAME, LONGEST_NAME).slice(0, limit);
}

/** Identifiers and paths, each once, the most frequent first. */
export function findNamesAndPaths(text: string): string[] {
  return count(text, NAME_OR_PATH, LONGEST_PATH);
}

function count(text: string, pattern: RegExp, longest: number): string[] {
  const counts = new Map<string, number>();
  for (const [name] of text.slice(0, MOST_CHARACTERS).replace(ENDLESS, " ").matchAll(pattern))
    if (name.length <= longest) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]).map(([name]) => name);
}
