/**
 * Plans a dream as plain data, without a model. Pure: the same memories on the same day give the same plan, and planning
 * again after the plan is carried out gives an empty one. All changes go to disk together or not at all.
 */
import { createHash } from "node:crypto";
import { DAY_MS } from "../../src/base/days.js";
import { findContradictions, findDuplicates, isProtected, mergeMetadata } from "../../src/memory/likeness.js";
import {
  CONFIRMING_SESSIONS,
  isFinding,
  lastingTypes,
  type Memory,
  readSessions,
  usersTypes,
} from "../../src/memory/memory.js";
import { withAbsoluteDates } from "../../src/text/dates.js";

/** The new form of one memory. Nothing is deleted: a removed memory is archived and names its successor. */
export interface Change {
  /** The memory when it was planned; the swap compares it with the disk to detect concurrent changes. */
  before: Memory;
  after: Memory;
  kind: ChangeKind;
  /** Shown to people in DREAMS.md. */
  reason: string;
}

/** The kinds of steps, the weightiest first. A change has the kind of its weightiest step. */
const KINDS = [
  /** Expired, or unused for long. */
  "archived",
  /** Another memory says it: `supersededBy`. */
  "superseded",
  /** Absorbs others that say the same. */
  "merged",
  /** Said in several sessions. */
  "confirmed",
  /** New words, same meaning. */
  "reworded",
] as const;
export type ChangeKind = (typeof KINDS)[number];

/** Something for a person to review; the memories stay unchanged. */
export interface Finding {
  ids: readonly string[];
  what: string;
}

/** Equal for findings with the same text. */
export const nameFinding = ({ what }: Finding): string =>
  createHash("sha256").update(what).digest("hex").slice(0, 12);

/** A memory with its planned changes, in steps. */
interface Draft {
  before: Memory;
  after: Memory;
  steps: { kind: ChangeKind; reason: string }[];
}

/** By id. */
export type Drafts = ReadonlyMap<string, Draft>;

export function readChanges(drafts: Drafts): Change[] {
  return [...drafts.values()].flatMap(({ after, before, steps }) => {
    const kind = KINDS.find((one) => steps.some((step) => step.kind === one));
    return kind ? [{ before, after, kind, reason: steps.map(({ reason }) => reason).join("; ") }] : [];
  });
}

/** The memories after the changes, without archived ones. */
export const readLiving = (drafts: Drafts): Memory[] =>
  [...drafts.values()]
    .map(({ after }) => after)
    .filter(({ status }) => status === "active" || status === "resolved");

function addStep(
  drafts: Drafts,
  id: string,
  { change, ...step }: { kind: ChangeKind; reason: string; change: Partial<Memory> },
): void {
  const draft = drafts.get(id);
  if (!draft) return;
  draft.after = { ...draft.after, ...change };
  draft.steps.push(step);
}

/** One memory takes in others, which are archived. */
export interface Merge {
  keep: string;
  supersede: readonly string[];
  /** Why they say the same. */
  reason: string;
  /** Its new text, if it changes. */
  content?: string;
}

export function merge(drafts: Drafts, { content, keep, reason, supersede }: Merge): void {
  const survivor = drafts.get(keep);
  const absorbed = supersede.flatMap((id) => drafts.get(id)?.after ?? []);
  if (!survivor || absorbed.length === 0) return;
  addStep(drafts, keep, {
    ...{ kind: "merged", reason: `takes in ${supersede.join(", ")}: ${reason}` },
    change: { ...mergeMetadata(survivor.after, absorbed), ...(content !== undefined && { content }) },
  });
  const change = { status: "archived", supersededBy: keep } as const;
  for (const id of supersede)
    addStep(drafts, id, { kind: "superseded", reason: `${keep} says it: ${reason}`, change });
}

export interface DreamInput {
  /** All memories that are not archived. */
  memories: readonly Memory[];
  nowMs: number;
  /** Base importance + use − decay. */
  effectiveImportance(memory: Memory): number;
  /** When it was last used or changed. */
  lastUsedMs(memory: Memory): number;
  /** Has use been tracked since this time? */
  isWatchedSince(timeMs: number): boolean;
  /** Paths that the memory names and that do not exist. */
  missingPaths(memory: Memory): readonly string[];
}

/** Days after which a resolved blocker is archived. */
const RESOLVED_BLOCKERS_DAYS = 90;

export function planDream(input: DreamInput): { drafts: Drafts; findings: readonly Finding[] } {
  // Quotes are never reworded or merged; layer 5 archives unused ones.
  const memories = input.memories.filter((memory) => !isFinding(memory));
  const drafts = new Map(memories.map((memory) => [memory.id, { before: memory, after: memory, steps: [] }]));
  for (const memory of memories) {
    const reason = findEnd(memory, input);
    if (reason !== undefined)
      addStep(drafts, memory.id, { kind: "archived", reason, change: { status: "archived" } });
  }
  // Before the comparison: absolute dates may make two memories equal, which only the next dream would find.
  for (const memory of readLiving(drafts)) makeDatesAbsolute(drafts, memory);
  for (const { isExact, others, survivor } of findDuplicates(readLiving(drafts))) {
    // Protected duplicates stay: better stored twice than lost.
    const supersede = others.filter((other) => !isProtected(other)).map(({ id }) => id);
    const reason = isExact ? "word for word the same" : "the same in other words";
    merge(drafts, { keep: survivor.id, supersede, reason });
  }
  for (const memory of readLiving(drafts)) confirm(drafts, memory);
  const living = readLiving(drafts);
  return { drafts, findings: [...reportContradictions(living), ...reportMissing(living, input)] };
}

/** A memory below this importance and unused for this time is archived. */
const FORGOTTEN_BELOW = 0.3;
const FORGOTTEN_AFTER_MS = 90 * DAY_MS;
/** Superseded memories remain useful for a while. */
const SUPERSEDED_AFTER_MS = 30 * DAY_MS;

/** Why the memory is to be archived; `undefined` if it stays. */
function findEnd(memory: Memory, input: DreamInput): string | undefined {
  const { nowMs } = input;
  const { expires, pinned, status, type, updated } = memory;
  if (pinned) return undefined;
  if (expires !== undefined && Date.parse(expires) <= nowMs)
    return `it was to be kept until ${expires.slice(0, 10)}`;
  if (isProtected(memory)) return undefined;
  if (type === "blocker")
    return isBlockerOver(memory, input) ? `the blocker was resolved on ${updated.slice(0, 10)}` : undefined;
  if (status === "superseded") {
    const isOver = nowMs - Date.parse(updated) >= SUPERSEDED_AFTER_MS;
    return isOver ? `${memory.supersededBy ?? "another one"} has taken its place` : undefined;
  }
  // Memories about the user are in every session's index, so a lack of recalls says nothing.
  if (usersTypes.has(type) || lastingTypes.has(type)) return undefined;
  const lastMs = input.lastUsedMs(memory);
  const unusedMs = nowMs - lastMs;
  const isForgotten =
    unusedMs >= FORGOTTEN_AFTER_MS &&
    input.effectiveImportance(memory) < FORGOTTEN_BELOW &&
    input.isWatchedSince(lastMs);
  return isForgotten ? `nobody has used it for ${Math.floor(unusedMs / DAY_MS)} days` : undefined;
}

/** Was the blocker resolved long enough ago to be archived? Pinned ones never are. */
export function isBlockerOver(
  { pinned, status, type, updated }: Memory,
  { nowMs }: Pick<DreamInput, "nowMs">,
): boolean {
  const keptMs = RESOLVED_BLOCKERS_DAYS * DAY_MS;
  return type === "blocker" && !pinned && status === "resolved" && nowMs - Date.parse(updated) >= keptMs;
}

function makeDatesAbsolute(drafts: Drafts, memory: Memory): void {
  if (isProtected(memory) || usersTypes.has(memory.type)) return;
  const { created, id, isUndated, provenance, updated } = memory;
  const saidMs = Date.parse(created);
  // Otherwise the text may have been said on another day than the memory's.
  const isOfOneDay = Math.abs(Date.parse(updated) - saidMs) < DAY_MS;
  if (!isOfOneDay || isUndated || provenance.how === "imported") return;
  const content = withAbsoluteDates(memory.content, saidMs);
  const reason = "dates that pass were made absolute";
  if (content !== memory.content) addStep(drafts, id, { kind: "reworded", reason, change: { content } });
}

/** Added to the importance of a memory said in `CONFIRMING_SESSIONS` sessions. */
const CONFIRMED_GAIN = 0.15;
const CONFIRMED = "confirmed";

function confirm(drafts: Drafts, { id, importance, tags, ...rest }: Memory): void {
  const { length } = readSessions(rest);
  if (length < CONFIRMING_SESSIONS || tags.includes(CONFIRMED)) return;
  const change = { importance: Math.min(1, importance + CONFIRMED_GAIN), tags: [...tags, CONFIRMED] };
  addStep(drafts, id, { kind: CONFIRMED, reason: `said in ${length} sessions`, change });
}

/** For a person to resolve. */
function reportContradictions(memories: readonly Memory[]): Finding[] {
  return findContradictions(memories).map(([one, other]) => {
    const ids = [one.id, other.id].sort();
    const what = `${ids.join(" and ")} say different things of "${one.title}": keep what holds, archive the other`;
    return { ids, what };
  });
}

/**
 * Reported, not written into the memory: a file missing on this branch may exist on another, and recall warns of missing
 * files whenever it shows the memory.
 */
function reportMissing(memories: readonly Memory[], { missingPaths }: DreamInput): Finding[] {
  return memories.flatMap((memory) => {
    const missing = [...missingPaths(memory)].sort();
    const what = `${memory.id} names files that are not there: ${missing.join(", ")}`;
    return missing.length > 0 ? [{ ids: [memory.id], what }] : [];
  });
}
