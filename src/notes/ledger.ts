/**
 * The ledger: what is known about a session without a model, in chronological order, each fact with a key that stays the
 * same if its message is read again (stored.ts declares them). A ledger is immutable; the next one is made from a draft,
 * which has maps by key.
 *
 * Every list is bounded, so that the file of a week-long session can still be opened. The oldest of the least important
 * facts are dropped first. The first request, which says what the session is about, is never dropped.
 */
import type { Answer, Ledger, Todo, UserRequest } from "./stored.js";
import { isLooking, isSubstantive } from "./wording.js";

/** An event; `at` is in milliseconds since 1970. */
export interface Fact {
  readonly key: string;
  readonly at: number;
}

/** Types of the ledger's lists, by name. */
type Lists = {
  [Name in keyof Ledger as Ledger[Name] extends readonly Fact[]
    ? Name
    : never]: Ledger[Name] extends readonly (infer F)[] ? F : never;
};
type ListName = keyof Lists;

/** A longer request contains a pasted file; its beginning says what is wanted. */
export const MOST_OF_A_REQUEST = 100_000;

/** Maximum length of each list. */
export const CAPS = {
  /** High, because requests matter most: 500 are a month of work. */
  requests: 500,
  rules: 500,
  /** The agent's own reasons; newer ones supersede older ones. */
  reasons: 60,
  findings: 120,
  /** More than anyone works through. */
  todos: 100,
  files: 200,
  namesOfAFile: 12,
  touchedOfAFile: 24,
  changes: 200,
  looked: 100,
  sought: 100,
  commands: 100,
  failures: 60,
  skills: 50,
  subagents: 40,
  leases: 40,
  filesOfASubagent: 40,
  /** Enough to recognise calls that are read again; older ones are covered by `countedUntil`. */
  callKeys: 2_000,
  /** Total characters of all requests; above it the oldest long ones are shortened. */
  requestCharacters: 2_000_000,
} as const;

/** What is dropped last. */
const MATTERS: { readonly [Name in ListName]?: (fact: Lists[Name]) => boolean } = {
  files: ({ isEdited }) => isEdited,
  commands: ({ key }) => !isLooking(key),
  failures: ({ laterSucceeded }) => !laterSucceeded,
  leases: ({ isHeld }) => isHeld,
};

const NO_FACTS: { readonly [Name in ListName]: readonly Lists[Name][] } = {
  requests: [],
  rules: [],
  reasons: [],
  answers: [],
  findings: [],
  files: [],
  changes: [],
  looked: [],
  sought: [],
  commands: [],
  failures: [],
  skills: [],
  subagents: [],
  leases: [],
};

export const EMPTY_LEDGER: Ledger = {
  ...NO_FACTS,
  droppedRequests: 0,
  droppedUntil: Number.NEGATIVE_INFINITY,
  calls: { ended: 0, keys: [], countedUntil: Number.NEGATIVE_INFINITY },
};

/** Number of a request in the notes, from 1. */
export function numberOf(ledger: Ledger, index: number): number {
  return index === 0 ? 1 : index + 1 + ledger.droppedRequests;
}

/** Index of the current request at a time; -1 before the first. */
export function findRequestAt(requests: readonly UserRequest[], at: number): number {
  return requests.findLastIndex((request) => request.at <= at);
}

/** Number of the request at a time, as the notes name it; `undefined` before the first. */
export function findNumberAt(ledger: Ledger, at: number): number | undefined {
  const index = findRequestAt(ledger.requests, at);
  return index === -1 ? undefined : numberOf(ledger, index);
}

export type Draft = { readonly [Name in ListName]: Map<string, Lists[Name]> } & {
  droppedRequests: number;
  droppedUntil: number;
  todos: Ledger["todos"];
  plan: Ledger["plan"];
  ended: number;
  callKeys: Set<string>;
  looks: Map<string, number>;
  countedUntil: number;
  hasChanged: boolean;
};

type Maps = { -readonly [Name in ListName]: Map<string, Lists[Name]> };

export function openDraft(ledger: Ledger): Draft {
  const { calls, droppedRequests, droppedUntil, plan, todos } = ledger;
  const maps = Object.keys(NO_FACTS).map((name) => [
    name,
    new Map(ledger[name as ListName].map((fact) => [fact.key, fact])),
  ]);
  return {
    ...(Object.fromEntries(maps) as Maps),
    ...{ droppedRequests, droppedUntil, plan, todos },
    ended: calls.ended,
    callKeys: new Set(calls.keys),
    looks: new Map(Object.entries(calls.looks ?? {})),
    countedUntil: calls.countedUntil,
    hasChanged: false,
  };
}

/** Adds a fact, or replaces the one with its key. */
export function put<Name extends ListName>(draft: Draft, name: Name, fact: Lists[Name]): void {
  (draft[name] as Map<string, Lists[Name]>).set(fact.key, fact);
  draft.hasChanged = true;
}

/**
 * Builds the ledger, with every list in chronological order and within its limit. Returns `before` itself if nothing has
 * changed.
 */
export function closeDraft(draft: Draft, before: Ledger): Ledger {
  if (!draft.hasChanged) return before;
  const requests = keepRequests(draft);
  const lists = (Object.keys(NO_FACTS) as Exclude<ListName, "answers">[]).map((name) => [
    name,
    keepNewest(draft[name], CAPS[name], MATTERS[name] as ((fact: Fact) => boolean) | undefined),
  ]);
  const after: Ledger = {
    ...(Object.fromEntries(lists) as typeof NO_FACTS),
    requests,
    answers: keepLastAnswers(draft.answers, requests),
    droppedRequests: draft.droppedRequests,
    droppedUntil: draft.droppedUntil,
    todos: draft.todos,
    plan: draft.plan,
    calls: keepCalls(draft, before),
  };
  const names = Object.keys(after) as (keyof Ledger)[];
  return names.every((name) => isSame(after[name], before[name])) ? before : after;
}

/** Identical, or two lists of identical facts. */
function isSame(one: unknown, other: unknown): boolean {
  if (!Array.isArray(one) || !Array.isArray(other)) return one === other;
  return one.length === other.length && one.every((fact, index) => fact === other[index]);
}

function inOrder<F extends Fact>(facts: ReadonlyMap<string, F>): F[] {
  return [...facts.values()].sort((a, b) => a.at - b.at || (a.key < b.key ? -1 : 1));
}

/** The newest `cap` facts, in chronological order. Facts that do not matter are dropped first. */
function keepNewest<F extends Fact>(
  facts: ReadonlyMap<string, F>,
  cap: number,
  matters: (fact: F) => boolean = () => true,
): F[] {
  const ordered = inOrder(facts);
  if (ordered.length <= cap) return ordered;
  const byWeight = [...ordered.filter((fact) => !matters(fact)), ...ordered.filter((fact) => matters(fact))];
  const kept = new Set(byWeight.slice(-cap));
  return ordered.filter((fact) => kept.has(fact));
}

/** Characters kept of a long request if all requests together are too long. */
export const SHORTENED = 4_000;

/** The first request and the newest ones, the oldest long ones shortened. Counts the dropped ones. */
function keepRequests(draft: Draft): UserRequest[] {
  const ordered = inOrder(draft.requests);
  const dropped = ordered.splice(1, Math.max(0, ordered.length - CAPS.requests));
  draft.droppedRequests += dropped.length;
  draft.droppedUntil = Math.max(draft.droppedUntil, ...dropped.map(({ at }) => at));
  let excess = ordered.reduce((sum, { text }) => sum + text.length, 0) - CAPS.requestCharacters;
  return ordered.map((request) => {
    if (excess <= 0 || request.text.length <= SHORTENED) return request;
    excess -= request.text.length - SHORTENED;
    return { ...request, text: request.text.slice(0, SHORTENED) };
  });
}

/** The last answer to each request and the last one that says something, also before the first request. */
function keepLastAnswers(answers: ReadonlyMap<string, Answer>, requests: readonly UserRequest[]): Answer[] {
  const byRequest = new Map<number, Answer[]>();
  for (const answer of inOrder(answers)) {
    const index = findRequestAt(requests, answer.at);
    byRequest.set(index, [...(byRequest.get(index) ?? []), answer]);
  }
  return [...byRequest.values()].flatMap((same) => {
    const last = same.slice(-1);
    const telling = same.length === 1 ? undefined : same.findLast(({ text }) => isSubstantive(text));
    return telling && telling !== last[0] ? [telling, ...last] : last;
  });
}

/** Keys begin with the time of the call, by which the oldest are found. */
function keepCalls(draft: Draft, { calls }: Ledger): Ledger["calls"] {
  if (draft.ended === calls.ended) return calls;
  const timeOf = (key: string): number => Number.parseInt(key, 36);
  const keys = [...draft.callKeys];
  let { countedUntil } = calls;
  if (keys.length > CAPS.callKeys) {
    keys.sort((a, b) => timeOf(a) - timeOf(b) || (a < b ? -1 : 1));
    const dropped = keys.splice(0, keys.length - CAPS.callKeys);
    countedUntil = Math.max(countedUntil, ...dropped.slice(-1).map(timeOf));
  }
  const looks = draft.looks.size > 0 ? Object.fromEntries(draft.looks) : undefined;
  return { ended: draft.ended, keys, countedUntil, looks };
}

/** Todos that are neither completed nor cancelled. */
export const findOpenTodos = ({ todos }: Pick<Ledger, "todos">): Todo[] =>
  todos?.items.filter(({ status }) => status !== "completed" && status !== "cancelled") ?? [];
