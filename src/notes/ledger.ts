/**
 * What is known about a session without a model: facts, each under a key that it has again when the same message is
 * read again, in the order of time. A ledger is never changed in place; `learnMessages` makes the next one.
 *
 * Every list is bounded, so that a session of weeks stays a file one can open. The oldest of the least important go
 * first, and the first request, which says what the session is about, never goes.
 */
export interface Ledger {
  readonly requests: readonly UserRequest[];
  /** Requests that had to go, so that those that stay keep their numbers. */
  readonly droppedRequests: number;
  /** The time of the newest of them: older ones are not learned again. */
  readonly droppedUntil: number;
  readonly rules: readonly Rule[];
  readonly reasons: readonly Reason[];
  /** The last text of the agent after each request. */
  readonly answers: readonly Answer[];
  readonly todos: TodoList | undefined;
  readonly files: readonly TouchedFile[];
  readonly commands: readonly Command[];
  readonly failures: readonly Failure[];
  readonly skills: readonly Skill[];
  readonly subagents: readonly SubagentRun[];
  readonly leases: readonly LeasedItem[];
  /** The plan that was last written, as the path stands in the notes. */
  readonly plan: { readonly path: string; readonly at: number } | undefined;
  readonly calls: CallCount;
}

/** Something that happened: `key` is the same whenever the same message is read, `at` is milliseconds since 1970. */
export interface Fact {
  readonly key: string;
  readonly at: number;
}

export interface UserRequest extends Fact {
  /** As the user wrote it, but for secrets; at most `MOST_OF_A_REQUEST` characters. */
  readonly text: string;
  /** Characters of the whole text as it was written. */
  readonly length: number;
  /** Names of attached files. */
  readonly files: readonly string[];
}

export interface Rule extends Fact {
  readonly kind: "rule" | "correction";
  readonly text: string;
}

/** A decision of the agent's, with its reason. */
export interface Reason extends Fact {
  readonly text: string;
}

export interface Answer extends Fact {
  readonly text: string;
  /** It did not end the turn: calls came after it, or it was broken off. */
  readonly isInterim?: true;
  /** What it says is still to be done. */
  readonly next?: string;
}

export interface TodoList {
  readonly at: number;
  readonly items: readonly Todo[];
}

export interface Todo {
  readonly content: string;
  readonly status: string;
  readonly priority?: string;
}

/** `key` is the path: relative to the project when it lies in it. `at` is when it was last touched. */
export interface TouchedFile extends Fact {
  readonly isRead: boolean;
  readonly isEdited: boolean;
  /** Functions, classes and types seen in the edits, first seen first. */
  readonly names: readonly string[];
}

/** `key` is the command. */
export interface Command extends Fact {
  /** Of the last run; `null` when it was ended from outside. */
  readonly exit: number | null;
  readonly description: string;
  readonly runs: number;
}

/** A call that failed; `key` stands for the tool and its input. */
export interface Failure extends Fact {
  readonly tool: string;
  readonly input: string;
  /** Of a command that ran and failed. */
  readonly exit?: number;
  readonly error: string;
  /** The same call has worked since. */
  readonly laterSucceeded: boolean;
}

/** `key` is the name. */
export interface Skill extends Fact {}

/** A subagent or a fork that was given a task; `key` stands for the call. */
export interface SubagentRun extends Fact {
  readonly description: string;
  readonly result: string;
  /** Files it touched, as the notes spell them; absent where that is not known. */
  readonly files?: readonly FileTouch[];
}

export interface FileTouch {
  readonly name: string;
  readonly isEdited: boolean;
}

/** `key` is what the agent has claimed for itself, `at` when it last did or gave it back. */
export interface LeasedItem extends Fact {
  readonly isHeld: boolean;
}

export interface CallCount {
  /** All calls that have ended. */
  readonly ended: number;
  /** The newest of them, so that none is counted twice. */
  readonly keys: readonly string[];
  /** Calls that began before have been counted, although their keys are gone. */
  readonly countedUntil: number;
}

/** A request longer than this is a pasted file; its beginning says what is wanted. */
export const MOST_OF_A_REQUEST = 100_000;

/** How many of each are kept. */
export const CAPS = {
  /** What the user wanted is the last thing to forget: a session of 500 requests is a month of work. */
  requests: 500,
  rules: 500,
  /** The agent's own reasons: newer ones overtake older ones. */
  reasons: 60,
  /** More open points than this nobody works through. */
  todos: 100,
  /** Those only read go before those edited. */
  files: 200,
  namesOfAFile: 12,
  commands: 100,
  /** Those that have worked since go first. */
  failures: 60,
  skills: 50,
  subagents: 40,
  leases: 40,
  filesOfASubagent: 40,
  /** A history of which more calls are read again at once has been read before. */
  callKeys: 2_000,
  /** Characters of all requests together; the oldest long ones are shortened beyond it. */
  requestCharacters: 2_000_000,
} as const;

export const EMPTY_LEDGER: Ledger = {
  requests: [],
  droppedRequests: 0,
  droppedUntil: Number.NEGATIVE_INFINITY,
  rules: [],
  reasons: [],
  answers: [],
  todos: undefined,
  files: [],
  commands: [],
  failures: [],
  skills: [],
  subagents: [],
  leases: [],
  plan: undefined,
  calls: { ended: 0, keys: [], countedUntil: Number.NEGATIVE_INFINITY },
};

/** The number under which the notes speak of a request, from 1. */
export function numberOf(ledger: Ledger, index: number): number {
  return index === 0 ? 1 : index + 1 + ledger.droppedRequests;
}

/** Index of the request that was open at a time; -1 before the first. */
export function findRequestAt(requests: readonly UserRequest[], at: number): number {
  return requests.findLastIndex((request) => request.at <= at);
}
