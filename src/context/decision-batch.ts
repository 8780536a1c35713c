/**
 * Decisions about a result or a message, and one line of a decisions file.
 *
 *     of a result    kept       it stays as it is
 *                    replaced   `text` replaces it
 *                    shrunk     the same, and only says less: `file` has the whole
 *                    cleared    `text` replaces it and any earlier replacement
 *                    extended   `text` follows it until it is cleared; once per layer
 *                    used       a fork needs the file of a replacement that was decided in another session
 *                    expanded   a person has brought it back: the whole follows what has the key in `text`
 *     of a message   cut        `text` replaces all messages before it
 *                    rewritten  `text` replaces its text
 *                    extended   `text` follows it; once per layer
 *                    dropped    a person has dropped the answer: `text` stands for all its parts, or nothing does
 *     of all         pinned     no layer moves it; `text` names it for people, `file` has it as it is shown
 *                    unpinned   no longer. The last of the two counts
 *     of either      revised    replaces the text of the same layer's decision of kind `of` by this `text`, or by none,
 *                               because its words were taken back, or a batch has cleared results before a reminder.
 *                               The last revision counts
 */
import { each, isVersion, list, number, object, oneOf, optional, parserOf, string } from "../base/shape.js";

export const outcomes = [
  "kept",
  "replaced",
  "shrunk",
  "cleared",
  "extended",
  "used",
  "cut",
  "rewritten",
  "revised",
  "expanded",
  "dropped",
  "pinned",
  "unpinned",
] as const;
export type Outcome = (typeof outcomes)[number];
/** Outcomes that can be revised. */
const revisables = ["extended", "cut", "rewritten"] as const;
type Revisable = (typeof revisables)[number];

export interface Decision {
  /** Key of the result or message, from `readResultKey` or `readMessageKey`. */
  key: string;
  outcome: Outcome;
  /** Absent for `kept`, `used` and `unpinned`; optional for `revised`, `dropped` and `pinned`. */
  text?: string;
  /** For `revised` only. */
  of?: Revisable;
  /** Absolute path of the file with the text that left the context, if any. */
  file?: string;
}

/** One line of a decisions file: decisions made at one time. */
export interface DecisionBatch {
  v: 1;
  session: string;
  layer: string;
  /** Milliseconds since 1970. */
  at?: number;
  /** Invalidates these decisions, recorded above with this time: they came too late for their request. */
  late?: true;
  decisions: Decision[];
}

/** The lines with decisions, without those that came too late. Pure. */
export function withoutLate(batches: readonly DecisionBatch[]): readonly DecisionBatch[] {
  if (!batches.some(({ late }) => late)) return batches;
  /** By decision: index of the last line that invalidates it. */
  const lateAt = new Map<string, number>();
  for (const [line, batch] of batches.entries())
    if (batch.late) for (const one of batch.decisions) lateAt.set(nameIn(batch, one), line);
  return batches.map((batch, line) => ({
    ...batch,
    decisions: batch.decisions.filter((one) => line > (lateAt.get(nameIn(batch, one)) ?? -1)),
  }));
}

/** Known lines that are missing from the others, in order. Pure. */
export function findLost(
  known: readonly DecisionBatch[],
  recorded: readonly DecisionBatch[],
): readonly DecisionBatch[] {
  if (known.length === 0) return [];
  const names = new Set(recorded.map(nameLine));
  return known.filter((batch) => !names.has(nameLine(batch)));
}

function nameLine(batch: DecisionBatch): string {
  const { at, decisions, late, layer, session } = batch;
  return [session, layer, at, late, ...decisions.map((one) => nameIn(batch, one))].join("\n");
}

/** Identifies a decision among all records of a day. */
function nameIn(
  { at = 0, layer, session }: Pick<DecisionBatch, "at" | "layer" | "session">,
  { key, of, outcome }: Decision,
): string {
  return `${session} ${layer} ${at} ${outcome}${of === undefined ? "" : ` ${of}`} ${key}`;
}

const isDecision = object<Decision>({
  key: string,
  outcome: oneOf(outcomes),
  ...each(optional(string), "text", "file"),
  of: optional(oneOf(revisables)),
});
const isBatch = object<DecisionBatch>({
  v: isVersion,
  ...each(string, "session", "layer"),
  at: optional(number),
  late: optional(oneOf([true])),
  decisions: list(isDecision),
});
/** `undefined` if any part of the value is invalid. */
export const parseDecisionBatch = parserOf(isBatch);
