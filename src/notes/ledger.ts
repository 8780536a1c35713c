/**
 * What is known about a session without a model: facts in chronological order, each with a key that stays the same if
 * its message is read again. A ledger is immutable; `learnMessages` makes the next one.
 *
 * Every list is bounded, so that the file of a week-long session can still be opened. The oldest of the least important
 * facts are dropped first. The first request, which says what the session is about, is never dropped.
 */
export interface Ledger {
  readonly requests: readonly UserRequest[];
  /** Number of dropped requests, so that the others keep their numbers. */
  readonly droppedRequests: number;
  /** Time of the newest dropped request; older ones are not learned again. */
  readonly droppedUntil: number;
  readonly rules: readonly Rule[];
  readonly reasons: readonly Reason[];
  /** The agent's last text after each request, and the last one that says something. */
  readonly answers: readonly Answer[];
  /** What the agent has found while it worked. */
  readonly findings: readonly Finding[];
  readonly todos: TodoList | undefined;
  readonly files: readonly TouchedFile[];
  /** What each edit has changed. */
  readonly changes: readonly Change[];
  /** Files that commands have shown. */
  readonly looked: readonly LookedAt[];
  /** Names and numbers that looking calls asked for. */
  readonly sought: readonly Sought[];
  readonly commands: readonly Command[];
  readonly failures: readonly Failure[];
  readonly skills: readonly Skill[];
  readonly subagents: readonly SubagentRun[];
  readonly leases: readonly LeasedItem[];
  /** The last written plan; `path` as in the notes. */
  readonly plan: { readonly path: string; readonly at: number } | undefined;
  readonly calls: CallCount;
}

/** An event: `key` is the same whenever the same message is read, `at` is in milliseconds since 1970. */
export interface Fact {
  readonly key: string;
  readonly at: number;
}

export interface UserRequest extends Fact {
  /** Verbatim except for secrets; at most `MOST_OF_A_REQUEST` characters. */
  readonly text: string;
  /** Length of the original text in characters. */
  readonly length: number;
  /** Names of attached files. */
  readonly files: readonly string[];
}

export interface Rule extends Fact {
  readonly kind: "rule" | "correction";
  readonly text: string;
}

/** A decision of the agent, with its reason. */
export interface Reason extends Fact {
  readonly text: string;
}

export interface Answer extends Fact {
  readonly text: string;
  /** More of a longer text, `text` included. */
  readonly whole?: string;
  /** It did not end the turn: tool calls followed, or it was aborted. */
  readonly isInterim?: true;
  /** The next step that it announces. */
  readonly next?: string;
}

/** Said between two calls; `key` is the message. */
export interface Finding extends Fact {
  readonly text: string;
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

/** `key` is the path, relative to the project if inside it. `at` is when it was last touched. */
export interface TouchedFile extends Fact {
  readonly isRead: boolean;
  readonly isEdited: boolean;
  /** Functions, classes and types seen in the edits, in order of appearance. */
  readonly names: readonly string[];
  /** Other names on the lines that the edits changed, or that the file declares as it was read; the newest first. */
  readonly touched?: readonly string[];
}

/** `key` is the path as in `files`, `at` when a command showed it last. */
export interface LookedAt extends Fact {
  readonly names: readonly string[];
}

/** `key` is the name or number, `at` when it was last asked for. */
export interface Sought extends Fact {}

/** `key` is made from the call and the path. */
export interface Change extends Fact {
  /** As in `files`. */
  readonly path: string;
  /** "5433 → 5432"; empty if it cannot be said in a few words. */
  readonly what: string;
}

/** `key` is the command. */
export interface Command extends Fact {
  /** Exit code of the last run; `null` if it was terminated from outside. */
  readonly exit: number | null;
  readonly description: string;
  readonly runs: number;
}

/** A failed call; `key` is made from the tool and its input. */
export interface Failure extends Fact {
  readonly tool: string;
  readonly input: string;
  /** Exit code of a command that ran and failed. */
  readonly exit?: number;
  readonly error: string;
  /** The same call has succeeded since. */
  readonly laterSucceeded: boolean;
}

/** `key` is the name. */
export interface Skill extends Fact {}

/** A task of a subagent or fork; `key` identifies the call. */
export interface SubagentRun extends Fact {
  readonly description: string;
  readonly result: string;
  /** Files it touched, spelt as in the notes; absent if unknown. */
  readonly files?: readonly FileTouch[];
}

export interface FileTouch {
  readonly name: string;
  readonly isEdited: boolean;
}

/** `key` is the leased item, `at` the time of the last claim or release. */
export interface LeasedItem extends Fact {
  readonly isHeld: boolean;
}

export interface CallCount {
  /** Number of finished calls. */
  readonly ended: number;
  /** Keys of the newest ones, so that none is counted twice. */
  readonly keys: readonly string[];
  /** Number of those that only looked, by tool; counted since the version that counts them. */
  readonly looks?: Readonly<Record<string, number>>;
  /** Calls that began earlier are already counted, although their keys were dropped. */
  readonly countedUntil: number;
}

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
  /** Files that were only read are dropped before edited ones. */
  files: 200,
  namesOfAFile: 12,
  touchedOfAFile: 24,
  changes: 200,
  looked: 100,
  sought: 100,
  /** Those that only looked are dropped first. */
  commands: 100,
  /** Those that have succeeded since are dropped first. */
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

export const EMPTY_LEDGER: Ledger = {
  requests: [],
  droppedRequests: 0,
  droppedUntil: Number.NEGATIVE_INFINITY,
  rules: [],
  reasons: [],
  answers: [],
  findings: [],
  todos: undefined,
  files: [],
  changes: [],
  looked: [],
  sought: [],
  commands: [],
  failures: [],
  skills: [],
  subagents: [],
  leases: [],
  plan: undefined,
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
