/**
 * What can be decided about a result or a message, and one line of a decisions file.
 *
 *     of a result    kept       it stays as it is
 *                    replaced   `text` stands for it
 *                    cleared    `text` stands for it, whatever stood for it before
 *                    extended   `text` stands after it, until it is cleared; once for each layer
 *                    used       a fork needs the file of a replacement that was decided in another session
 *     of a message   cut        `text` stands for all messages before it
 *                    rewritten  `text` stands for its text
 *                    extended   `text` stands after it; once for each layer
 *     of either      revised    what was decided about it in this way (\`of\`) by the same layer has this \`text\` from now
 *                               on, none where there is none: words in it were taken back. The last one counts
 */
import { isVersion } from "../record/version.js";
import { either, list, matching, number, object, oneOf, optional, string } from "../shape.js";

export const outcomes = [
  "kept",
  "replaced",
  "cleared",
  "extended",
  "used",
  "cut",
  "rewritten",
  "revised",
] as const;
export type Outcome = (typeof outcomes)[number];
/** What others have said in the place of, or beside, what stands in the history. */
const revisables = ["extended", "cut", "rewritten"] as const;
export type Revisable = (typeof revisables)[number];

export interface Decision {
  /** The result or message, as `readResultKey` and `readMessageKey` give it. */
  key: string;
  outcome: Outcome;
  /** Not with `kept` and `used`; `revised` may be without. */
  text?: string;
  /** With `revised` only. */
  of?: Revisable;
  /** Absolute path of the file that holds what has left the context, where there is one. */
  file?: string;
}

/** One line of a decisions file: what was decided at a time. */
export interface DecisionBatch {
  v: 1;
  session: string;
  layer: string;
  /** Milliseconds since 1970. */
  at?: number;
  /** These decisions, made at that time, stand above but came too late for their request: they do not count. */
  late?: true;
  decisions: Decision[];
}

/** The batch, or `undefined` when the value is not one; then nothing of it counts. */
export function parseDecisionBatch(value: unknown): DecisionBatch | undefined {
  if (!isBatch(value)) return undefined;
  const { session, layer, at, late, decisions } = value;
  return { v: 1, session, layer, decisions, ...(at !== undefined && { at }), ...(late === true && { late }) };
}

/** The lines that decide something, without the decisions that came too late. Pure. */
export function withoutLate(batches: readonly DecisionBatch[]): readonly DecisionBatch[] {
  if (!batches.some(({ late }) => late)) return batches;
  /** By decision: the last line that says so. */
  const lateAt = new Map<string, number>();
  for (const [line, batch] of batches.entries())
    if (batch.late) for (const one of batch.decisions) lateAt.set(nameIn(batch, one), line);
  return batches.map((batch, line) => ({
    ...batch,
    decisions: batch.decisions.filter((one) => line > (lateAt.get(nameIn(batch, one)) ?? -1)),
  }));
}

/** Those of the lines known that do not stand among the others any more, in order. Pure. */
export function findLost(
  known: readonly DecisionBatch[],
  standing: readonly DecisionBatch[],
): readonly DecisionBatch[] {
  if (known.length === 0) return [];
  const names = new Set(standing.map(nameLine));
  return known.filter((batch) => !names.has(nameLine(batch)));
}

function nameLine(batch: DecisionBatch): string {
  const { at, decisions, late, layer, session } = batch;
  return [session, layer, at, late, ...decisions.map((one) => nameIn(batch, one))].join("\n");
}

/** Tells a decision from all others that may stand in the records of a day. */
export function nameIn(
  { at = 0, layer, session }: Pick<DecisionBatch, "at" | "layer" | "session">,
  { key, of, outcome }: Decision,
): string {
  return `${session} ${layer} ${at} ${outcome}${of === undefined ? "" : ` ${of}`} ${key}`;
}

const someText = matching(/[\s\S]/);
const isDecision = either(
  object<Decision>({ key: string, outcome: oneOf(["kept"]) }),
  object<Decision>({ key: string, outcome: oneOf(["used"]), file: string }),
  object<Decision>({ key: string, outcome: oneOf(["replaced", "cleared"]), text: someText, file: string }),
  object<Decision>({ key: string, outcome: oneOf(["extended", "cut", "rewritten"]), text: someText }),
  object<Decision>({
    key: string,
    outcome: oneOf(["revised"]),
    of: oneOf(revisables),
    text: optional(string),
  }),
);
const isBatch = object<DecisionBatch>({
  v: isVersion,
  session: string,
  layer: string,
  at: optional(number),
  decisions: list(isDecision),
});
