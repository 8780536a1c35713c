/** What layers read from the notes, with absolute paths and the request numbers used in the notes. */
import { resolve } from "node:path";
import { findRequestAt, numberOf } from "./ledger.js";
import type { Failure, FileTouch, Ledger, Todo } from "./stored.js";

/** Every list is chronological, newest last. Times are milliseconds since 1970, or 0 if the host gave none. */
export interface SessionFacts {
  requests: RequestFact[];
  /** The user's rules, verbatim. */
  constraints: RuleFact[];
  corrections: RuleFact[];
  /** The agent's decisions with their reasons. */
  reasons: { text: string; at: number }[];
  /** As the agent last wrote them. */
  todos: Todo[];
  files: FileFact[];
  commands: { command: string; exit: number | null; description: string; runs: number; at: number }[];
  /** Failed calls. */
  errors: Omit<Failure, "key">[];
  skills: string[];
  /** Subagents that have finished, including forks made by Strata. */
  subagents: { description: string; result: string; files: readonly FileTouch[]; at: number }[];
  /** The last written plan. */
  plan: { path: string; at: number } | undefined;
  /** Beginning of the agent's last text. */
  lastAnswer: { text: string; at: number } | undefined;
  /** Number of finished calls. */
  toolCalls: number;
  /** Was the last request answered? */
  isAnswered: boolean;
}

export interface RequestFact {
  /** From 1, as in the notes. */
  number: number;
  /** Verbatim, at most 100,000 characters. */
  text: string;
  at: number;
  /** Names of attached files. */
  files: readonly string[];
  /** Its result: the beginning of the agent's last text. */
  outcome: string | undefined;
}

export interface RuleFact {
  text: string;
  at: number;
  /** Number of the request that contains it. */
  request: number | undefined;
}

export interface FileFact {
  /** Absolute. */
  path: string;
  /** As in the notes: relative to the project if inside it. */
  name: string;
  isRead: boolean;
  isEdited: boolean;
  names: readonly string[];
  /** When it was last touched. */
  at: number;
}

export function readFacts(ledger: Ledger, project: string): SessionFacts {
  const { requests, rules, answers, plan } = ledger;
  const outcomes = new Map(answers.map((answer) => [findRequestAt(requests, answer.at), answer.text]));
  const last = answers.at(-1);
  const rulesOf = (wanted: string): RuleFact[] =>
    rules.filter(({ kind }) => kind === wanted).map(({ text, at }) => ({ text, at, request: numberAt(at) }));
  const numberAt = (at: number): number | undefined => {
    const index = findRequestAt(requests, at);
    return index === -1 ? undefined : numberOf(ledger, index);
  };
  return {
    requests: requests.map(({ text, at, files }, index) => ({
      number: numberOf(ledger, index),
      text,
      at,
      files,
      outcome: outcomes.get(index),
    })),
    constraints: rulesOf("rule"),
    corrections: rulesOf("correction"),
    reasons: ledger.reasons.map(({ text, at }) => ({ text, at })),
    todos: [...(ledger.todos?.items ?? [])],
    files: ledger.files.map(({ key, ...file }) => ({ path: resolve(project, key), name: key, ...file })),
    commands: ledger.commands.map(({ key, ...command }) => ({ command: key, ...command })),
    errors: ledger.failures.map(({ key: _, ...failure }) => failure),
    skills: ledger.skills.map(({ key }) => key),
    subagents: ledger.subagents.map(({ description, result, files = [], at }) => ({
      description,
      result,
      files,
      at,
    })),
    plan: plan && { path: resolve(project, plan.path), at: plan.at },
    lastAnswer: last && { text: last.text, at: last.at },
    toolCalls: ledger.calls.ended,
    isAnswered: requests.length === 0 || outcomes.has(requests.length - 1),
  };
}

/** Todos that are neither completed nor cancelled. */
export function findOpenTodos(todos: readonly Todo[]): Todo[] {
  return todos.filter(({ status }) => status !== "completed" && status !== "cancelled");
}
