/** What a text or a command says, by its form and its words: states, next steps, rules, reasons, names, looks. Pure. */

import { languages } from "../text/language.js";
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
export function findRules(text: string): { kind: "rule" | "correction"; text: string }[] {
  const found = splitSentences(text).flatMap((sentence) => {
    const isQuestion = /[?？]["')\]]?$/.test(sentence);
    // Of all languages, because people mix them; corrections first.
    const patterns = languages.flatMap(({ corrections }) => (isQuestion ? [] : corrections));
    if (patterns.some((one) => one.test(sentence))) return { kind: "correction" as const, text: sentence };
    const isRule = languages.some(
      ({ sessionRules, sessionRulesInQuestions }) =>
        sessionRulesInQuestions.test(sentence) || (!isQuestion && sessionRules.test(sentence)),
    );
    return isRule ? { kind: "rule" as const, text: sentence } : [];
  });
  return found.slice(0, MOST_RULES_OF_A_MESSAGE);
}

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
  /\/?(?:[\w@.~-]+\/)+[\w@.-]*\w\.[A-Za-z]\w{0,5}\b|[A-Za-z_$][\w$]*(?:[a-z\d][A-Z]|_[A-Za-z\d])[\w$]*/g;
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

/*
 * Commands that only look (at files, at history, at the state of a run), told from those that do something. The notes count
 * the former. A command that this does not understand does something.
 */

/** Programs that change nothing, whatever their arguments. */
const LOOKERS = new Set(
  `ls cat head tail grep egrep rg find fd wc pwd echo printf which type sed awk sort uniq cut tr jq yq tree stat file du df
  ps date env printenv whoami uname sleep true test [ diff cmp nl less more column tac rev basename dirname realpath readlink
  md5sum sha1sum sha256sum cd export set wait jobs lsof top free history watch xxd od strings hexdump git-log`.split(
    /\s+/,
  ),
);
/** Of programs that also change things, what only looks. */
const LOOKING_PARTS: Readonly<Record<string, RegExp>> = {
  git: /^(?:(?:-C|-c) \S+ |--no-pager )*(?:status|log|diff|show|blame|ls-files|ls-remote|ls-tree|rev-parse|rev-list|describe|grep|shortlog|reflog|cat-file|merge-base|for-each-ref|name-rev|whatchanged|branch(?: (?:-[avr]+|--show-current|--list|--all|--contains)\b.*)?$|remote(?: -v| show\b.*| get-url\b.*)?$|stash list|worktree list|tag(?: -l\b.*| --list\b.*)?$|config --get)/,
  gh: /^(?:(?:pr|issue|run|release|repo|workflow|label|search|gist) (?:view|list|checks|diff|status|watch|issues|prs|code|repos)\b|auth status|status\b|api\b(?!.* (?:-X|--method|-f|-F|--field|--raw-field|--input)\b))/,
  glab: /^(?:mr|issue|ci|pipeline) (?:view|list|status|get|trace|diff)\b/,
  npm: /^(?:ls|view|outdated|root|prefix|bin|list|why|explain|config (?:get|list))\b/,
  docker: /^(?:ps|images|logs|inspect|compose (?:ps|logs))\b/,
  kubectl: /^(?:get|describe|logs|top)\b/,
  curl: /^(?!(?:.* )?(?:-X|--request|-d|--data|-o|-O|--output|-T|-F))/,
};
/** The command changes a file or writes one. */
const WRITES =
  /(?:^|[^<>0-9&-])>{1,2}(?!\s*(?:\/dev\/null|&))\s*\S|\d>{1,2}(?!\s*(?:\/dev\/null|&))|\bsed\s+(?:-\w+\s+)*-\w*i|\bfind\b.*\s-(?:delete|exec)|\btee\b|\bxargs\b/;
/** A quotation, also one whose end was cut off. */
const QUOTED = /'[^']*(?:'|$)|"(?:[^"\\]|\\.)*(?:"|$)/g;
const LONGEST_LOOK = 1_000;
const BETWEEN = /&&|\|\||[;|\n()]|\$\(|`|\b(?:do|done|then|else|fi|if|while|for \w+ in [^;]*)\b/;
const ASSIGNED = /^(?:[A-Za-z_]\w*=\S*\s+)+/;

export function isLooking(command: string): boolean {
  const bare = command.slice(0, LONGEST_LOOK).replace(QUOTED, '""');
  if (WRITES.test(bare)) return false;
  const parts = bare.split(BETWEEN).map((part) =>
    part
      .replace(ASSIGNED, "")
      .replace(/[&!{}\s]+/g, " ")
      .trim(),
  );
  const said = parts.filter((part) => part !== "" && part !== '""' && !/^[A-Za-z_]\w*=\S*$/.test(part));
  return said.length > 0 && said.every(looks);
}

function looks(part: string): boolean {
  const [name = "", ...rest] = part.replace(/^(?:sudo|time|timeout \S+|command|exec) /, "").split(" ");
  return (
    LOOKERS.has(name) ||
    (Object.hasOwn(LOOKING_PARTS, name) && LOOKING_PARTS[name]?.test(rest.join(" ")) === true)
  );
}

/** Files that a looking command names, as it spells them. */
export function findLookedAt(command: string): string[] {
  const words =
    command.slice(0, LONGEST_LOOK).match(/(?:[\w@.~-]*\/)*[\w@.-]*\w\.[A-Za-z]\w{0,5}(?=$|[\s"';|)])/g) ?? [];
  return [...new Set(words)].filter((word) => word.includes("/") && !/^\d+\.\d/.test(word));
}

const SUBJECT =
  /[A-Za-z_$][\w$]*(?:[a-z\d][A-Z]|_[A-Za-z\d])[\w$]*|\b[a-z][a-z\d]*(?:[-.][a-z\d]+){2,}\b|(?<![\w.,-])(?:#?\d{3,}|\d+\.\d+\.\d+|(?=[\da-f]*\d)[\da-f]{7,40})(?![\w.,-]*\w)/g;
const LONGEST_SUBJECT = 60;

/** Names, and numbers by which something is found again: hashes, versions, issues; in order, each once. */
export function findSubjects(text: string): string[] {
  const found = text.slice(0, LONGEST_LOOK).match(SUBJECT) ?? [];
  return [...new Set(found)].filter((one) => one.length <= LONGEST_SUBJECT);
}

/* The same of long texts, word by word: a host's engine is slow at patterns that look back. */

const WORD = /[\w$@~#/.-]{3,}/g;
const WHOLE_PATH = /^\/?(?:[\w@.~-]+\/)+[\w@.-]*\w\.[A-Za-z]\w{0,5}$/;
const WHOLE_SUBJECT =
  /^(?:[a-z][a-z\d]*(?:[-.][a-z\d]+){2,}|#?\d{3,}|\d+\.\d+\.\d+|(?=[a-f]*\d)[\da-f]{7,40})$/;
/** An identifier of several words, or a code such as TS2345. */
const WHOLE_NAME = /^(?:[A-Za-z_$][\w$]*(?:[a-z\d][A-Z]|_[A-Za-z\d])[\w$]*|[A-Z]{1,5}\d{2,5})$/;

/** Paths, identifiers, names of several words, codes, and numbers of three digits or more; in order, each once. */
export function findTelling(text: string): Set<string> {
  const found = new Set<string>();
  for (const word of new Set(text.match(WORD) ?? []))
    if (word.length <= LONGEST_PATH) for (const name of namesIn(word)) found.add(name);
  return found;
}

function namesIn(word: string): string[] {
  const whole = word.replace(/[./-]+$/, "");
  if (WHOLE_PATH.test(whole)) return [whole];
  if (whole.includes("/")) return whole.split("/").flatMap(namesIn);
  if (whole.length > LONGEST_SUBJECT) return [];
  if (WHOLE_SUBJECT.test(whole)) return [whole];
  return whole.split(/[^\w$]+/).filter((part) => WHOLE_NAME.test(part) || WHOLE_SUBJECT.test(part));
}
