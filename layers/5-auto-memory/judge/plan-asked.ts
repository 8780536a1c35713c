/** Which candidates the running agent is asked about, and in which words. Pure. */
import type { ContextRequest } from "../../../src/context/request.js";
import type { Message } from "../../../src/io/message.js";
import {
  isHandedOver,
  isRepeated,
  readLatest,
  type WaitingCandidate,
} from "../../../src/memory/candidates/candidate.js";
import { findQuestion, isOnlyKeeping, QUESTION_HEAD } from "../../../src/memory/candidates/question.js";
import { countReportedTokens } from "../../../src/messages/history.js";
import { cut, toSafeLine, withoutMark } from "../../../src/text/text.js";
import { boundTokens } from "../injection/boot.js";
import { findOwnText } from "../injection/shown.js";
import { formatStatement } from "../words/statements.js";

export interface Asked {
  /** By id: those of the question, and those of earlier ones that are not noted as asked yet. */
  letters: ReadonlyMap<string, string>;
  /** `undefined` if there is nothing new to ask. */
  text?: string;
}

/** In tokens, of a whole question. */
export const MOST_TOKENS = 80;
/** What a question of three has beside the quotes. */
const WORDS_TOKENS = 30;
const MOST_ASKED = 3;
const MESSAGES_BETWEEN = 5;
/** Of a session's tokens, so that all of judging stays below one percent of its price. */
const MOST_SHARE = 0.005;
const LONGEST_QUOTE = 240;
const TASK = "Call memory_keep with their letters together with your next call.";

type View = Pick<ContextRequest, "find" | "history">;

/** The questions since which too few of the user's messages have come for another one. */
export function listRecent(view: View): string[] {
  const users = [...view.history.messages.entries()].filter(([, { info }]) => info.role === "user");
  const [from] = users.at(-MESSAGES_BETWEEN) ?? [0];
  return listQuestions(view, from);
}

/** The questions behind messages and results from this message on, those of cut history as well. */
export function listQuestions({ find, history }: View, from = 0): string[] {
  const indices = [...history.messages.keys()].slice(from);
  const keys = [...indices.map(history.keyOf), ...history.results(from)];
  return keys.flatMap((one) => findQuestion((one && findOwnText(find(one.key))) ?? "") ?? []);
}

/** Have requests that only answered questions cost next to nothing so far? An agent may call `memory_keep` by itself. */
export function isCheap({ messages }: View["history"]): boolean {
  const sum = (some: readonly Message[]): number =>
    some.reduce((total, { info }) => total + countReportedTokens(info.tokens), 0);
  return sum(messages.filter(isOnlyKeeping)) <= MOST_SHARE * sum(messages);
}

/** May the agent be asked about it? */
export const isAskable = (one: WaitingCandidate): boolean =>
  one.asked === undefined && !one.isJudged && !isHandedOver(one);

/**
 * The next question of a session about its candidates.
 *
 * @param before its questions so far; those known, if none is due
 */
export function planAsked(
  candidates: readonly WaitingCandidate[],
  { before, isDue }: { before: readonly string[]; isDue: boolean },
): Asked {
  const quoted = before.flatMap(readQuotes);
  const open = candidates.filter((one) => isAskable(one) && readLine(one) !== "");
  // Asked, and the process ended before it was noted.
  const noted = new Map(
    open.flatMap((one) => {
      const same = quoted.find(({ quote }) => quote !== "" && readLine(one).startsWith(quote));
      return same ? [[one.id, same.letter] as const] : [];
    }),
  );
  const best = open
    .filter(({ id }) => !noted.has(id))
    .sort((a, b) => Number(isRepeated(b)) - Number(isRepeated(a)) || b.worth - a.worth)
    .slice(0, MOST_ASKED);
  if (best.length === 0 || !isDue) return { letters: noted };
  const used = Math.max(-1, ...quoted.map(({ letter }) => readLetter(letter)));
  const letters = new Map(best.map(({ id }, place) => [id, formatLetter(used + 1 + place)]));
  const mostTokens = (MOST_TOKENS - WORDS_TOKENS) / best.length;
  const items = best.map((one) => `${letters.get(one.id)} "${shorten(readLine(one), mostTokens)}"`);
  return {
    letters: new Map([...noted, ...letters]),
    text: [QUESTION_HEAD, ...items, TASK].join(" "),
  };
}

/** The user's words, on one line; they cannot end their quotation, nor speak as the plugin. */
function readLine(one: WaitingCandidate): string {
  const latest = readLatest(one);
  if (!latest) return "";
  return withoutMark(toSafeLine(formatStatement(latest), LONGEST_QUOTE)).replace(/["“”„‟«»＂]/g, "'");
}

/** The words of a candidate as a question or an error quotes them. */
export const quoteCandidate = (one: WaitingCandidate, mostTokens: number): string =>
  shorten(readLine(one), mostTokens);

function shorten(line: string, mostTokens: number): string {
  if (boundTokens(line) <= mostTokens) return line;
  let { length } = line;
  while (length > 0 && boundTokens(`${line.slice(0, length)}…`) > mostTokens) length--;
  return `${cut(line, length).trimEnd()}…`;
}

/** The letters of a question, with the beginning of what each stands for. */
function readQuotes(question: string): { letter: string; quote: string }[] {
  return [...question.matchAll(/ ([a-z]{1,2}) "([^"]*?)…?"/g)].map(([, letter = "", quote = ""]) => ({
    letter,
    quote,
  }));
}

const LETTERS = 26;
const CODE_OF_A = 97;

/** a … z, aa … zz. */
function formatLetter(place: number): string {
  const letter = String.fromCharCode(CODE_OF_A + (place % LETTERS));
  return place < LETTERS ? letter : `${formatLetter(Math.floor(place / LETTERS) - 1)}${letter}`;
}

function readLetter(letter: string): number {
  return [...letter].reduce((sum, one) => (sum + 1) * LETTERS + one.charCodeAt(0) - CODE_OF_A, -1);
}
