/**
 * Sentences of a conversation that hold beyond it: rules and corrections by the user, decisions of the agent's with a
 * reason. Found by the words in the tables below, in English and Chinese, and kept as they were written.
 */
import { toLine } from "./line.js";

export interface FoundRule {
  kind: "rule" | "correction";
  text: string;
}

interface WordRow {
  kind: FoundRule["kind"];
  words: RegExp;
  /** Also in a question: "could you always …?" is a rule, "does it only …?" is not. */
  alsoInQuestions: boolean;
}

/** The first row that fits names the kind. */
const WORDS: readonly WordRow[] = [
  {
    kind: "correction",
    words: /^(no|nope|nah|wait)\s*([,.!:;–—-]|$)|^(stop|undo|revert)\b|\b(wrong|incorrect|actually)\b/i,
    alsoInQuestions: false,
  },
  {
    kind: "correction",
    words:
      /\b(that'?s not|not what i|i (said|meant|told you)|you (forgot|misunderstood|broke)|shouldn'?t have|instead)\b/i,
    alsoInQuestions: false,
  },
  {
    kind: "correction",
    words: /不对|错了|不是这样|改用|改成|换成|而不是|其实|别这样|停下|我说的是|你忘了|撤销|回滚/,
    alsoInQuestions: false,
  },
  {
    kind: "rule",
    words:
      /\b(never|always|must|mustn'?t|don'?t|do not|no longer|make sure|ensure|remember|from now on|keep in mind|under no circumstances|avoid)\b/i,
    alsoInQuestions: true,
  },
  {
    kind: "rule",
    words:
      /\b(only|prefer|should|shouldn'?t|because|rather than|has to|have to|required|forbidden|not allowed)\b|\buse\s+\S+(\s+\S+){0,3}?,?\s+not\b|^no\s+\w/i,
    alsoInQuestions: false,
  },
  {
    kind: "rule",
    words: /不要|不能|不许|不得|禁止|必须|务必|总是|一直|永远|记住|记得|请勿|切勿|以后都/,
    alsoInQuestions: true,
  },
  {
    kind: "rule",
    words: /应该|应当|只能|只用|只要|优先|尽量|最好|因为|确保|保证|不再|避免/,
    alsoInQuestions: false,
  },
];

/** With these an agent says why it does what it does. */
const REASONS =
  /\b(because|so that|decided|decision|chose|the reason|root cause|turns out)\b|因为|决定|所以选择|原因是|根本原因/i;

/** Rules stand at the beginning of what a user writes; what is pasted below speaks for others. */
const LOOKED_AT = 20_000;
/** A longer "sentence" is a pasted text. */
const LONGEST_SENTENCE = 600;
const SHORTEST_REASON = 20;
const MOST_RULES_OF_A_MESSAGE = 40;
const MOST_REASONS_OF_A_MESSAGE = 5;

/** Rules and corrections in a user's text, in its order and words, each on one line. */
export function findRules(text: string): FoundRule[] {
  const found: FoundRule[] = [];
  for (const sentence of splitSentences(text)) {
    const isQuestion = /[?？]["')\]]?$/.test(sentence);
    const row = WORDS.find(
      ({ words, alsoInQuestions }) => (!isQuestion || alsoInQuestions) && words.test(sentence),
    );
    if (row) found.push({ kind: row.kind, text: sentence });
    if (found.length === MOST_RULES_OF_A_MESSAGE) break;
  }
  return found;
}

/** Sentences in which an agent gives the reason for a decision. */
export function findReasons(text: string): string[] {
  return splitSentences(text)
    .filter((sentence) => sentence.length >= SHORTEST_REASON && REASONS.test(sentence))
    .slice(0, MOST_REASONS_OF_A_MESSAGE);
}

const SENTENCE_END = /(?<=[.!?]["')\]]?)(?<!\b(?:e\.g|i\.e|vs|cf)\.)\s+|(?<=[。！？；])/;

/** Sentences outside of quotations and code, without the marks of a list. */
export function splitSentences(text: string): string[] {
  return joinWrappedLines(text.slice(0, LOOKED_AT))
    .flatMap((line) => line.split(SENTENCE_END))
    .map((sentence) => toLine(sentence, LONGEST_SENTENCE).replace(/^([-*+•]|\d+[.)、])\s+/, ""))
    .filter((sentence) => sentence !== "" && sentence.length <= LONGEST_SENTENCE);
}

/** A line at least this long that the next goes on in lower case was wrapped by an editor. */
const WRAPPED = 60;

function joinWrappedLines(text: string): string[] {
  const joined: string[] = [];
  let isCode = false;
  let isOpen = false;
  for (const line of text.split("\n")) {
    const isFence = /^\s*(```|~~~)/.test(line);
    if (isFence) isCode = !isCode;
    if (isFence || isCode || /^\s*>|^\t|^ {4,}\S|^\s*at \S+ \(/.test(line)) {
      isOpen = false;
      continue;
    }
    const last = joined.length - 1;
    if (isOpen && /^\s*[a-z]/.test(line)) joined[last] += ` ${line.trim()}`;
    else joined.push(line);
    isOpen = line.length >= WRAPPED;
  }
  return joined;
}
