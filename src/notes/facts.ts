/** What layers read from the notes, with absolute paths. */
import { resolve } from "node:path";
import type { Failure, FileTouch, Ledger, Todo } from "./stored.js";

interface Said {
  text: string;
  at: number;
}

/** Every list is chronological, newest last. Times are milliseconds since 1970, or 0 if the host gave none. */
export interface SessionFacts {
  requests: readonly Said[];
  /** The user's rules and corrections, verbatim. */
  constraints: readonly Said[];
  corrections: readonly Said[];
  /** The agent's decisions with their reasons. */
  reasons: readonly Said[];
  /** As the agent last wrote them. */
  todos: readonly Todo[];
  files: FileFact[];
  /** Failed calls. */
  errors: readonly Omit<Failure, "key">[];
  skills: string[];
  /** Subagents that have finished, including forks made by Strata. */
  subagents: { description: string; result: string; files: readonly FileTouch[]; at: number }[];
  /** The last written plan. */
  plan: { path: string; at: number } | undefined;
  /** Number of finished calls. */
  toolCalls: number;
}

export interface FileFact {
  /** Absolute. */
  path: string;
  /** As in the notes: relative to the project if inside it. */
  name: string;
  isEdited: boolean;
  /** When it was last touched. */
  at: number;
}

export function readFacts(ledger: Ledger, project: string): SessionFacts {
  const { calls, failures, files, plan, reasons, requests, rules, skills, subagents, todos } = ledger;
  return {
    ...{ requests, reasons, errors: failures, todos: todos?.items ?? [], toolCalls: calls.ended },
    constraints: rules.filter(({ kind }) => kind === "rule"),
    corrections: rules.filter(({ kind }) => kind === "correction"),
    files: files.map(({ at, isEdited, key }) => ({ path: resolve(project, key), name: key, isEdited, at })),
    skills: skills.map(({ key }) => key),
    subagents: subagents.map((run) => ({ ...run, files: run.files ?? [] })),
    plan: plan && { path: resolve(project, plan.path), at: plan.at },
  };
}

/** Todos that are neither completed nor cancelled. */
export const findOpenTodos = (todos: readonly Todo[]): Todo[] =>
  todos.filter(({ status }) => status !== "completed" && status !== "cancelled");
