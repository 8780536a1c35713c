/**
 * The file beside the notes, `<sessionID>.json`: what is known about a session without a model. Declared once, for the
 * types and for reading; code that a start loads imports only the types.
 */
import { z } from "zod";
import { parseJson } from "../base/shape.js";

/** A fact's `key` is the same whenever the same message is read, its `at` in milliseconds since 1970. */
const fact = { key: z.string(), at: z.number() };
const list = <Shape extends z.ZodRawShape>(shape: Shape) => z.array(z.object({ ...fact, ...shape }));
/** JSON has no infinity. */
const time = z
  .number()
  .nullable()
  .transform((at) => at ?? Number.NEGATIVE_INFINITY);
const todo = z.object({ content: z.string(), status: z.string(), priority: z.string().optional() });
/** A file that a subagent touched, spelt as in the notes. */
const touch = z.object({ name: z.string(), isEdited: z.boolean() });

export const ledger = z.object({
  requests: list({
    /** Verbatim except for secrets; at most `MOST_OF_A_REQUEST` characters. */
    text: z.string(),
    /** Length of the original text in characters. */
    length: z.number(),
    /** Names of attached files. */
    files: z.array(z.string()),
  }),
  /** Number of dropped requests, so that the others keep their numbers. */
  droppedRequests: z.number(),
  /** Time of the newest dropped request; older ones are not learned again. */
  droppedUntil: time,
  rules: list({ kind: z.enum(["rule", "correction"]), text: z.string() }),
  /** Decisions of the agent, with their reasons. */
  reasons: list({ text: z.string() }),
  /** The agent's last text after each request, and the last one that says something. */
  answers: list({
    text: z.string(),
    /** More of a longer text, `text` included. */
    whole: z.string().optional(),
    /** It did not end the turn: tool calls followed, or it was aborted. */
    isInterim: z.literal(true).optional(),
    /** The next step that it announces. */
    next: z.string().optional(),
  }),
  /** What the agent has found while it worked, said between two calls; `key` is the message. */
  findings: list({ text: z.string() }).default([]),
  todos: z.object({ at: z.number(), items: z.array(todo) }).optional(),
  /** `key` is the path, relative to the project if inside it. `at` is when it was last touched. */
  files: list({
    isRead: z.boolean(),
    isEdited: z.boolean(),
    /** Functions, classes and types seen in the edits, in order of appearance. */
    names: z.array(z.string()),
    /** Other names on the lines that the edits changed, or that the file declares as it was read; the newest first. */
    touched: z.array(z.string()).optional(),
  }),
  /** What each edit has changed: "5433 → 5432"; empty if it cannot be said in a few words. */
  changes: list({ path: z.string(), what: z.string() }).default([]),
  /** Files that commands have shown; `key` is the path. */
  looked: list({ names: z.array(z.string()) }).default([]),
  /** Names and numbers that looking calls asked for. */
  sought: list({}).default([]),
  /** `key` is the command, `exit` that of its last run; `null` if it was terminated from outside. */
  commands: list({ exit: z.number().nullable(), description: z.string(), runs: z.number() }),
  /** Failed calls; `key` is made from the tool and its input. */
  failures: list({
    tool: z.string(),
    input: z.string(),
    /** Exit code of a command that ran and failed. */
    exit: z.number().optional(),
    error: z.string(),
    /** The same call has succeeded since. */
    laterSucceeded: z.boolean(),
  }),
  skills: list({}),
  /** Tasks of subagents and forks; `key` identifies the call. `files` are absent if unknown. */
  subagents: list({ description: z.string(), result: z.string(), files: z.array(touch).optional() }),
  /** `key` is the leased item, `at` the time of the last claim or release. */
  leases: list({ isHeld: z.boolean() }).default([]),
  /** The last written plan; `path` as in the notes. */
  plan: z.object({ path: z.string(), at: z.number() }).optional(),
  calls: z.object({
    /** Number of finished calls. */
    ended: z.number(),
    /** Keys of the newest ones, so that none is counted twice. */
    keys: z.array(z.string()),
    /** Calls that began earlier are already counted, although their keys were dropped. */
    countedUntil: time,
    /** Number of those that only looked, by tool. */
    looks: z.record(z.string(), z.number()).optional(),
  }),
});

const lines = z.array(z.object({ id: z.string(), text: z.string() }));
/** 0.1.0 listed the lines by heading. */
const written = z.union([
  lines,
  z.record(z.string(), lines).transform((byHeading) => Object.values(byHeading).flat()),
]);

const stored = z.object({
  version: z.literal(1),
  ledger,
  /** The model's last text by heading. */
  sections: z.record(z.string(), z.string()).optional(),
  /** The machine's lines as planned for the notes. */
  written: written.optional(),
  /** The notes before the last write. If their hash is still this one, the write failed and these are the machine's lines. */
  before: z.object({ hash: z.string(), written: written.optional() }).optional(),
  /**
   * Messages that the user has taken back; the ledger has none of their text. `at` is when the message was written,
   * `seenMs` when its facts left the ledger: text made from the ledger between the two may contain its words. `isEdit`:
   * the message still exists, with different text.
   */
  takenBack: list({ seenMs: z.number(), isEdit: z.literal(true).optional() }).optional(),
  /** IDs of lines that people removed or changed. */
  removed: z.array(z.string()),
});

export type Immutable<T> = T extends object ? { readonly [Name in keyof T]: Immutable<T[Name]> } : T;

/** Never changed in place. */
export type Stored = Immutable<z.output<typeof stored>>;
export type Ledger = Stored["ledger"];
/** A model's text by heading. */
export type Sections = NonNullable<Stored["sections"]>;
export type WrittenLine = NonNullable<Stored["written"]>[number];
export type TakenBack = NonNullable<Stored["takenBack"]>[number];
export type UserRequest = Ledger["requests"][number];
export type Answer = Ledger["answers"][number];
export type Todo = NonNullable<Ledger["todos"]>["items"][number];
export type Change = Ledger["changes"][number];
export type Failure = Ledger["failures"][number];
export type SubagentRun = Ledger["subagents"][number];
export type FileTouch = NonNullable<SubagentRun["files"]>[number];

/** `undefined` if any part of the file is invalid. */
export function parseStored(text: string): Stored | undefined {
  return stored.safeParse(parseJson(text)).data;
}
