/**
 * The handoff from a session to the next one, however the session ended. It is built from the notes on demand, so there
 * is no second record that could differ or that a crash could prevent.
 */
import { cut, toLine } from "../base/text.js";
import { findOpenTodos, findRequestAt } from "./ledger.js";
import { findState } from "./page-lines.js";
import type { Ledger } from "./stored.js";

/** 750 tokens at four characters each. */
const LONGEST_TEXT = 3_000;
const LONGEST_REQUEST = 400;
const LONGEST_LINE = 160;
const MOST = { rules: 6, todos: 12, files: 12, failures: 3, leases: 8 };

/** A session's open work, without items that a person removed from the notes. Pure. */
export function findOpenPoints(ledger: Ledger, removed: ReadonlySet<string>) {
  const { answers, requests } = ledger;
  const last = requests.at(-1);
  const answer = answers.at(-1);
  const end = answer && findRequestAt(requests, answer.at) === requests.length - 1 ? answer : undefined;
  const isAnswered = end !== undefined && end.isInterim !== true;
  const isOpen = last !== undefined && !isAnswered && !removed.has(`request:${last.key}`);
  const kept = isAnswered && !removed.has(`answer:${end.key}`) ? end : undefined;
  return {
    todos: findOpenTodos(ledger).filter(({ content }) => !removed.has(`todo:${content}`)),
    /** The last request, if unanswered. */
    request: isOpen ? last : undefined,
    /** The next step announced in the last answer. */
    next: kept?.next === undefined ? undefined : { text: kept.next, at: kept.at },
    /** The last answer, if it ended a turn. */
    answer: kept,
  };
}

/** Is anything open? */
export const hasOpenPoints = ({
  next,
  request,
  todos,
}: Omit<ReturnType<typeof findOpenPoints>, "answer">): boolean =>
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
  const { failures, files, leases, plan, requests, rules } = ledger;
  const { next, request, todos } = findOpenPoints(ledger, removed);
  const last = requests.at(-1);
  const state = findState(ledger);
  const first = requests.length > 1 ? requests[0] : undefined;
  const working = todos.find(({ status }) => status === "in_progress")?.content;
  const step = working ?? next?.text ?? todos[0]?.content;
  const shown = todos.map(
    ({ content, status }) => `${toLine(content, 100)}${status === "in_progress" ? " (in progress)" : ""}`,
  );
  const kept = rules.filter(({ key, kind }) => !removed.has(`${kind}:${key}`));
  const failed = failures.filter(({ laterSucceeded }) => !laterSucceeded);
  const changed = files.filter(({ isEdited }) => isEdited).slice(-MOST.files);
  const claimed = leases.filter(({ isHeld }) => isHeld).slice(-MOST.leases);
  return [
    ...(first ? [`It began with: ${toLine(first.text, LONGEST_REQUEST / 2)}`] : []),
    ...(last
      ? [`Last request${request ? ", not answered" : ""}: ${toLine(last.text, LONGEST_REQUEST)}`]
      : []),
    ...list("Open todos:", shown, shown.slice(0, MOST.todos)),
    ...(step === undefined ? [] : [`Next step: ${short(step)}`]),
    ...list(
      "The user's rules:",
      kept,
      kept.slice(-MOST.rules).map(({ text }) => short(text)),
    ),
    ...(state ? [`${request ? "It said last" : "It ended with"}: ${state.text}`] : []),
    ...(plan ? [`Plan: ${plan.path}`] : []),
    ...(changed.length > 0 ? [`Changed: ${changed.map(({ key }) => key).join(", ")}`] : []),
    ...list(
      "Failed, and not since then:",
      failed,
      failed
        .slice(-MOST.failures)
        .map(({ error, input, tool }) => short(`${tool} ${input}: ${JSON.stringify(error)}`)),
    ),
    ...(claimed.length > 0 ? [`It had claimed: ${claimed.map(({ key }) => key).join(", ")}`] : []),
  ];
}

function list(heading: string, all: readonly unknown[], shown: readonly string[]): string[] {
  if (all.length === 0) return [];
  const more = all.length - shown.length;
  return [heading, ...shown.map((item) => `- ${item}`), ...(more > 0 ? [`(${more} more)`] : [])];
}

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
