/**
 * The handoff from a session to the next one, however the session ended. It is built from the notes on demand, so there
 * is no second record that could differ or that a crash could prevent.
 */
import { cut, toLine } from "../text/text.js";
import { findOpenTodos } from "./facts.js";
import { findRequestAt } from "./ledger.js";
import { findState } from "./page-lines.js";
import type { Answer, Ledger, Todo, UserRequest } from "./stored.js";

/** 750 tokens at four characters each. */
const LONGEST_TEXT = 3_000;
const LONGEST_REQUEST = 400;
const LONGEST_LINE = 160;
const MOST = { rules: 6, todos: 12, files: 12, failures: 3, leases: 8 };

/** A session's open work. */
export interface OpenPoints {
  todos: readonly Todo[];
  /** The last request, if unanswered. */
  request: UserRequest | undefined;
  /** The next step announced in the last answer. */
  next: { text: string; at: number } | undefined;
  /** The last answer, if it ended a turn. */
  answer: Answer | undefined;
}

/** A session's open work, without items that a person removed from the notes. Pure. */
export function findOpenPoints(
  { answers, requests, todos }: Ledger,
  removed: ReadonlySet<string>,
): OpenPoints {
  const last = requests.at(-1);
  const answer = answers.at(-1);
  const end = answer && findRequestAt(requests, answer.at) === requests.length - 1 ? answer : undefined;
  const isAnswered = end !== undefined && end.isInterim !== true;
  const isOpen = last !== undefined && !isAnswered && !removed.has(`request:${last.key}`);
  const kept = isAnswered && !removed.has(`answer:${end.key}`) ? end : undefined;
  return {
    todos: findOpenTodos(todos?.items ?? []).filter(({ content }) => !removed.has(`todo:${content}`)),
    request: isOpen ? last : undefined,
    next: kept?.next === undefined ? undefined : { text: kept.next, at: kept.at },
    answer: kept,
  };
}

/** Is anything open? */
export const hasOpenPoints = ({ next, request, todos }: OpenPoints): boolean =>
  todos.length > 0 || request !== undefined || next !== undefined;

/**
 * Goal, rules, state, open points, leases and next step. `undefined` if nothing is open: every request answered, no todo
 * left, and no next step announced. Pure.
 */
export function formatHandoff(
  ledger: Ledger,
  removed: ReadonlySet<string>,
  path: string,
): string | undefined {
  if (!hasOpenPoints(findOpenPoints(ledger, removed))) return undefined;
  const head = `An earlier session was left unfinished; its notes are in ${path}`;
  return cut([head, ...formatPoints(ledger, removed)].join("\n"), LONGEST_TEXT);
}

/** The same for any session, as lines. Pure. */
export function formatPoints(ledger: Ledger, removed: ReadonlySet<string>): string[] {
  const { plan, requests } = ledger;
  const open = findOpenPoints(ledger, removed);
  const { todos } = open;
  const last = requests.at(-1);
  const isOpen = open.request !== undefined;
  const told = findState(ledger);
  const first = requests.length > 1 ? requests[0] : undefined;
  const working = todos.find(({ status }) => status === "in_progress")?.content;
  const next = working ?? open.next?.text ?? todos[0]?.content;
  return [
    ...(first ? [`It began with: ${toLine(first.text, LONGEST_REQUEST / 2)}`] : []),
    ...(last ? [`Last request${isOpen ? ", not answered" : ""}: ${toLine(last.text, LONGEST_REQUEST)}`] : []),
    ...list("Open todos:", todos.map(formatTodo), MOST.todos),
    ...(next === undefined ? [] : [`Next step: ${short(next)}`]),
    ...list("The user's rules:", findRules(ledger, removed), -MOST.rules),
    ...(told ? [`${isOpen ? "It said last" : "It ended with"}: ${told.text}`] : []),
    ...(plan ? [`Plan: ${plan.path}`] : []),
    ...row(
      "Changed:",
      ledger.files.filter(({ isEdited }) => isEdited).map(({ key }) => key),
      MOST.files,
    ),
    ...list("Failed, and not since then:", findFailures(ledger), -MOST.failures),
    ...row(
      "It had claimed:",
      ledger.leases.filter(({ isHeld }) => isHeld).map(({ key }) => key),
      MOST.leases,
    ),
  ];
}

/** A negative `most` shows the newest items. */
function list(heading: string, items: readonly string[], most: number): string[] {
  if (items.length === 0) return [];
  const shown = most < 0 ? items.slice(most) : items.slice(0, most);
  const more = items.length - shown.length;
  return [heading, ...shown.map((item) => `- ${item}`), ...(more > 0 ? [`(${more} more)`] : [])];
}

/** The newest items on one line. */
function row(heading: string, items: readonly string[], most: number): string[] {
  return items.length === 0 ? [] : [`${heading} ${items.slice(-most).join(", ")}`];
}

const formatTodo = ({ content, status }: { content: string; status: string }): string =>
  `${toLine(content, 100)}${status === "in_progress" ? " (in progress)" : ""}`;

const findRules = ({ rules }: Ledger, removed: ReadonlySet<string>): string[] =>
  rules.filter(({ key, kind }) => !removed.has(`${kind}:${key}`)).map(({ text }) => short(text));

const findFailures = ({ failures }: Ledger): string[] =>
  failures
    .filter(({ laterSucceeded }) => !laterSucceeded)
    .map(({ error, input, tool }) => toLine(`${tool} ${input}: ${JSON.stringify(error)}`, LONGEST_LINE));

const short = (text: string): string => toLine(text, LONGEST_LINE);

/** The question with which the agent ended the session, verbatim; `undefined` if none. Pure. */
export function findQuestion({ answers, requests }: Ledger): string | undefined {
  const answer = answers.at(-1);
  const last = requests.at(-1);
  if (!answer || answer.isInterim || (last && last.at > answer.at)) return undefined;
  const text = (answer.whole ?? answer.text).replace(/[\s*_`]+$/u, "");
  if (!/[?？؟][)\]）」』”’"'»]*$/u.test(text)) return undefined;
  const sentences = text.split(/(?<=[.!?؟])\s+|(?<=[。！？])(?![）」』”’])|\n+/u);
  return sentences.findLast((sentence) => sentence.trim() !== "")?.trim();
}
