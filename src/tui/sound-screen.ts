/**
 * A session's screen file as the TUI half uses it: written by another process, perhaps of another version. Whatever is
 * missing or unsound becomes absent, so that formatting never fails. Pure.
 */
import { toPrintable } from "../printable.js";
import { findLaterVersion, isVersion } from "../record/version.js";
import { isRecord, type PlainRecord, parseJson } from "../records.js";
import { KINDS, type Kind, type Saving } from "../screen/session-screen.js";

/** The part of `SessionScreen` that is shown, sound in every field. */
export interface Shown {
  title?: string;
  now: number;
  /** The provider has not counted yet. */
  isEstimate?: true;
  /** At least `now`, or absent. */
  without?: number;
  threshold?: number;
  /** Only those with tokens, in the order of `KINDS`. */
  kinds: readonly (readonly [kind: Kind, tokens: number])[];
  /** 0 to 1. */
  hits: { last?: number; session?: number };
  saved: { session?: Saving; today?: Saving; project?: Saving };
  memory: { memories: number; candidates: number; blockers: number; conflicts: number };
  breaker?: string;
  background: readonly string[];
  warnings: readonly string[];
}

const MOST_SENTENCES = 10;

/** `undefined` if the text is no screen. A later version is read as far as it is understood. */
export function readShown(text: string): Shown | undefined {
  const screen = parseJson(text);
  if (!isRecord(screen) || !isVersion(screen.v)) return undefined;
  const context = recordOf(screen.context);
  const now = countIn(context, "now");
  if (now === undefined) return undefined;
  const without = countIn(context, "without");
  const later = findLaterVersion(screen);
  const cache = recordOf(screen.cache);
  const update = `a later Strata (version ${later}) wrote these figures; restart OpenCode`;
  return {
    ...pick("title", wordsIn(screen, "title")),
    now,
    ...(context.isEstimate === true && { isEstimate: true }),
    ...pick("without", without !== undefined && without >= now ? without : undefined),
    ...pick("threshold", countIn(context, "threshold") || undefined),
    kinds: readKinds(recordOf(context.kinds)),
    hits: { ...pick("last", shareIn(cache, "last")), ...pick("session", shareIn(cache, "session")) },
    saved: readSavings(recordOf(screen.saved)),
    memory: readMemory(recordOf(screen.memory)),
    ...pick("breaker", wordsIn(screen, "breaker")),
    background: readSentences(screen.background),
    warnings: [...(later === undefined ? [] : [update]), ...readSentences(screen.warnings)],
  };
}

const readSavings = (saved: PlainRecord): Shown["saved"] => ({
  ...pick("session", readSaving(saved.session)),
  ...pick("today", readSaving(saved.today)),
  ...pick("project", readSaving(saved.project)),
});

function readMemory(memory: PlainRecord): Shown["memory"] {
  const amount = (name: string): number => countIn(memory, name) ?? 0;
  return {
    memories: amount("memories"),
    candidates: amount("candidates"),
    blockers: amount("blockers"),
    conflicts: amount("conflicts"),
  };
}

function readKinds(kinds: PlainRecord): Shown["kinds"] {
  return KINDS.flatMap((kind) => {
    const tokens = countIn(kinds, kind) ?? 0;
    return tokens > 0 ? [[kind, tokens] as const] : [];
  });
}

function readSaving(value: unknown): Saving | undefined {
  if (!isRecord(value)) return undefined;
  const tokens = finiteIn(value, "tokens") ?? 0;
  return {
    tokens,
    ...pick("share", finiteIn(value, "share")),
    // A price of zero is unknown or free: dollars would say nothing.
    ...pick("dollars", finiteIn(value, "dollars") || undefined),
  };
}

const readSentences = (list: unknown): string[] =>
  (Array.isArray(list) ? list : [])
    .filter((one): one is string => typeof one === "string" && one !== "")
    .slice(0, MOST_SENTENCES)
    .map((one) => toPrintable(one));

function wordsIn(from: PlainRecord, name: string): string | undefined {
  const value = from[name];
  return typeof value === "string" && value.trim() !== "" ? toPrintable(value) : undefined;
}

const recordOf = (value: unknown): PlainRecord => (isRecord(value) ? value : {});

function finiteIn(from: PlainRecord, name: string): number | undefined {
  const value = from[name];
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

function countIn(from: PlainRecord, name: string): number | undefined {
  const value = finiteIn(from, name);
  return value !== undefined && value >= 0 ? value : undefined;
}

function shareIn(from: PlainRecord, name: string): number | undefined {
  const value = countIn(from, name);
  return value !== undefined && value <= 1 ? value : undefined;
}

/** An object with this field, or an empty one if there is no value. */
function pick<Name extends string, Value>(name: Name, value: Value | undefined): { [One in Name]?: Value } {
  return value === undefined ? {} : ({ [name]: value } as { [One in Name]: Value });
}
