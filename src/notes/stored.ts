/** The file beside the notes, `<sessionID>.json`: the source of the machine's lines in them. */
import { z } from "zod";
import { parseJson } from "../base/shape.js";
import { EMPTY_LEDGER, type Ledger } from "./ledger.js";
import type { Written } from "./merge.js";
import { HEADINGS, type Sections } from "./page.js";
import type { TakenBack } from "./taken-back.js";

export interface Stored {
  readonly version: 1;
  readonly ledger: Ledger;
  /** The model's last sections. */
  readonly sections?: Sections;
  /** The machine's lines as planned for the notes. */
  readonly written?: Written;
  /** The notes before the last write. If their hash is still this one, the write failed and these are the machine's lines. */
  readonly before?: { readonly hash: string; readonly written?: Written };
  /** Messages that the user has taken back; the ledger has none of their text. */
  readonly takenBack?: readonly TakenBack[];
  /** IDs of lines that people removed or changed. */
  readonly removed: readonly string[];
}

const fact = { key: z.string(), at: z.number() };
const list = <Shape extends z.ZodRawShape>(shape: Shape) => z.array(z.object({ ...fact, ...shape }));
const time = z.number().nullable();
const written = z.record(z.string(), z.array(z.object({ id: z.string(), text: z.string() })));
const touch = z.object({ name: z.string(), isEdited: z.boolean() });
const todo = z.object({ content: z.string(), status: z.string(), priority: z.string().optional() });

const ledger = z.object({
  requests: list({ text: z.string(), length: z.number(), files: z.array(z.string()) }),
  droppedRequests: z.number(),
  droppedUntil: time,
  rules: list({ kind: z.enum(["rule", "correction"]), text: z.string() }),
  reasons: list({ text: z.string() }),
  answers: list({
    text: z.string(),
    whole: z.string().optional(),
    isInterim: z.literal(true).optional(),
    next: z.string().optional(),
  }),
  findings: list({ text: z.string() }).optional(),
  todos: z.object({ at: z.number(), items: z.array(todo) }).optional(),
  files: list({
    isRead: z.boolean(),
    isEdited: z.boolean(),
    names: z.array(z.string()),
    touched: z.array(z.string()).optional(),
  }),
  changes: list({ path: z.string(), what: z.string() }).optional(),
  looked: list({ names: z.array(z.string()) }).optional(),
  sought: list({}).optional(),
  commands: list({ exit: z.number().nullable(), description: z.string(), runs: z.number() }),
  failures: list({
    tool: z.string(),
    input: z.string(),
    exit: z.number().optional(),
    error: z.string(),
    laterSucceeded: z.boolean(),
  }),
  skills: list({}),
  subagents: list({ description: z.string(), result: z.string(), files: z.array(touch).optional() }),
  leases: list({ isHeld: z.boolean() }).optional(),
  plan: z.object({ path: z.string(), at: z.number() }).optional(),
  calls: z.object({
    ended: z.number(),
    keys: z.array(z.string()),
    countedUntil: time,
    looks: z.record(z.string(), z.number()).optional(),
  }),
});

const stored = z.object({
  version: z.literal(1),
  ledger,
  sections: z.record(z.enum(HEADINGS), z.string()).optional(),
  written: written.optional(),
  before: z.object({ hash: z.string(), written: written.optional() }).optional(),
  takenBack: list({ seenMs: z.number(), isEdit: z.literal(true).optional() }).optional(),
  removed: z.array(z.string()),
});

/** `undefined` if any part of the file is invalid. */
export function parseStored(text: string): Stored | undefined {
  const result = stored.safeParse(parseJson(text));
  if (!result.success) return undefined;
  const { droppedUntil, calls } = result.data.ledger;
  // JSON has no infinity.
  const known = {
    ...EMPTY_LEDGER,
    ...result.data.ledger,
    droppedUntil: droppedUntil ?? EMPTY_LEDGER.droppedUntil,
    calls: { ...calls, countedUntil: calls.countedUntil ?? EMPTY_LEDGER.calls.countedUntil },
  };
  return { ...result.data, ledger: known } as Stored;
}
