/**
 * Plans a dream without a model. Pure: the same memories on the same day give the same plan, and planning again after the
 * plan is carried out gives an empty one.
 */

import type { Config } from "../../src/config/schema.js";
import { DAY_MS } from "../../src/days.js";
import { withAbsoluteDates } from "../../src/language/dates.js";
import { isFinding } from "../../src/memory/finding.js";
import { lastingTypes, type Memory, usersTypes } from "../../src/memory/memory.js";
import { CONFIRMING_SESSIONS, readSessions } from "../../src/memory/sessions.js";
import { type Change, type ChangeKind, type DreamPlan, type Finding, isProtected } from "./change.js";
import { type Cluster, findDuplicates, isContradiction, type SimilarTo } from "./duplicates.js";
import { takeIn } from "./take-in.js";

export interface DreamInput {
  /** All memories that are not archived. */
  memories: readonly Memory[];
  nowMs: number;
  /** Finds memories that may be on the same subject. */
  similarTo: SimilarTo;
  /** Base importance + use − decay. */
  effectiveImportance(memory: Memory): number;
  /** When it was last used or changed. */
  lastUsedMs(memory: Memory): number;
  /** Has use been tracked since this time? */
  isWatchedSince(timeMs: number): boolean;
  /** Paths that the memory names and that do not exist. */
  missingPaths(memory: Memory): readonly string[];
  /** Days after which some memories are archived. */
  retention: Retention;
}

export type Retention = Pick<Config["retention"], "resolvedBlockersDays">;

/** A memory below this importance and unused for this time is archived. */
const FORGOTTEN_BELOW = 0.3;
const FORGOTTEN_AFTER_MS = 90 * DAY_MS;
/** Superseded memories remain useful for a while. */
const SUPERSEDED_AFTER_MS = 30 * DAY_MS;
/** Added to the importance of a memory said in `CONFIRMING_SESSIONS` sessions. */
const CONFIRMED_GAIN = 0.15;
const CONFIRMED = "confirmed";

export function planDream(input: DreamInput): DreamPlan {
  const { similarTo } = input;
  // Quotes are never reworded or merged; layer 5 archives unused ones.
  const memories = input.memories.filter((memory) => !isFinding(memory));
  const drafts = new Map(memories.map((memory) => [memory.id, openDraft(memory)]));
  for (const memory of memories) archiveIfOver(drafts, memory, input);
  const living = () => [...drafts.values()].map(({ after }) => after).filter(isLiving);
  // Before the comparison: absolute dates may make two memories equal, which only the next dream would find.
  for (const memory of living()) makeAbsolute(drafts, memory);
  for (const cluster of findDuplicates(living())) merge(drafts, cluster);
  for (const memory of living()) confirm(drafts, memory);
  return {
    changes: [...drafts.values()].flatMap(closeDraft),
    findings: [...findContradictions(living(), similarTo), ...findMissing(living(), input)],
  };
}

interface Draft {
  before: Memory;
  after: Memory;
  steps: { kind: ChangeKind; reason: string }[];
}

type Drafts = ReadonlyMap<string, Draft>;

const isLiving = ({ status }: Memory): boolean => status === "active" || status === "resolved";

const openDraft = (before: Memory): Draft => ({ before, after: before, steps: [] });

/** A change takes the kind of its weightiest step, which comes first here. */
const WEIGHT: readonly ChangeKind[] = ["archived", "superseded", "merged", "confirmed", "reworded"];

function closeDraft({ before, after, steps }: Draft): Change[] {
  const [first] = [...steps].sort((a, b) => WEIGHT.indexOf(a.kind) - WEIGHT.indexOf(b.kind));
  if (!first) return [];
  return [{ before, after, kind: first.kind, reason: steps.map(({ reason }) => reason).join("; ") }];
}

/** `changed`: some fields of the memory, or all of it. */
function step(
  drafts: Drafts,
  id: string,
  kind: ChangeKind,
  reason: string,
  changed: Memory | Partial<Memory>,
): void {
  const draft = drafts.get(id);
  if (!draft) return;
  draft.after = "id" in changed ? (changed as Memory) : { ...draft.after, ...changed };
  draft.steps.push({ kind, reason });
}

function archiveIfOver(drafts: Drafts, memory: Memory, input: DreamInput): void {
  const why = findEnd(memory, input);
  if (why !== undefined) step(drafts, memory.id, "archived", why, { status: "archived" });
}

function findEnd(memory: Memory, input: DreamInput): string | undefined {
  const { nowMs, retention } = input;
  const { expires, pinned, status, type, updated } = memory;
  if (pinned) return undefined;
  if (expires !== undefined && Date.parse(expires) <= nowMs)
    return `it was to be kept until ${expires.slice(0, 10)}`;
  if (isProtected(memory)) return undefined;
  if (type === "blocker")
    return isBlockerOver(memory, { nowMs, retention })
      ? `the blocker was resolved on ${updated.slice(0, 10)}`
      : undefined;
  if (status === "superseded") {
    const isOver = nowMs - Date.parse(updated) >= SUPERSEDED_AFTER_MS;
    return isOver ? `${memory.supersededBy ?? "another one"} has taken its place` : undefined;
  }
  return findNeglect(memory, input);
}

/** Was the blocker resolved long enough ago to be archived? Pinned ones never are. */
export function isBlockerOver(
  { pinned, status, type, updated }: Memory,
  { nowMs, retention }: Pick<DreamInput, "nowMs" | "retention">,
): boolean {
  const keptMs = retention.resolvedBlockersDays * DAY_MS;
  return type === "blocker" && !pinned && status === "resolved" && nowMs - Date.parse(updated) >= keptMs;
}

function findNeglect(memory: Memory, input: DreamInput): string | undefined {
  // Memories about the user are in every session's index, so a lack of recalls says nothing.
  if (usersTypes.has(memory.type) || lastingTypes.has(memory.type)) return undefined;
  const lastMs = input.lastUsedMs(memory);
  const unusedMs = input.nowMs - lastMs;
  const isForgotten =
    unusedMs >= FORGOTTEN_AFTER_MS &&
    input.effectiveImportance(memory) < FORGOTTEN_BELOW &&
    input.isWatchedSince(lastMs);
  return isForgotten ? `nobody has used it for ${Math.floor(unusedMs / DAY_MS)} days` : undefined;
}

/** Protected duplicates stay: better stored twice than lost. */
function merge(drafts: Drafts, { survivor, others, isExact }: Cluster): void {
  const going = others.filter((other) => !isProtected(other));
  if (going.length === 0) return;
  const how = isExact ? "word for word the same" : "the same in other words";
  const reason = `takes in ${going.map(({ id }) => id).join(", ")}: ${how}`;
  step(drafts, survivor.id, "merged", reason, takeIn(survivor, going));
  for (const { id } of going) {
    const reason = `${survivor.id} says it: ${how}`;
    step(drafts, id, "superseded", reason, { status: "archived", supersededBy: survivor.id });
  }
}

function makeAbsolute(drafts: Drafts, memory: Memory): void {
  const stays = isProtected(memory) || usersTypes.has(memory.type);
  const saidMs = stays ? undefined : findSaid(memory);
  if (saidMs === undefined) return;
  const content = withAbsoluteDates(memory.content, saidMs);
  if (content === memory.content) return;
  step(drafts, memory.id, "reworded", "dates that pass were made absolute", { content });
}

/** When the text was said; `undefined` if that may be another day than the memory's. */
function findSaid({ created, isUndated, provenance, updated }: Memory): number | undefined {
  const saidMs = Date.parse(created);
  const isOfOneDay = Math.abs(Date.parse(updated) - saidMs) < DAY_MS;
  return isOfOneDay && !isUndated && provenance.how !== "imported" ? saidMs : undefined;
}

function confirm(drafts: Drafts, memory: Memory): void {
  const { length } = readSessions(memory);
  if (length < CONFIRMING_SESSIONS || memory.tags.includes(CONFIRMED)) return;
  step(drafts, memory.id, "confirmed", `said in ${length} sessions`, {
    importance: Math.min(1, memory.importance + CONFIRMED_GAIN),
    tags: [...memory.tags, CONFIRMED],
  });
}

/**
 * Reported, not written into the memory: a file missing on this branch may exist on another, and recall warns of missing
 * files whenever it shows the memory.
 */
function findMissing(memories: readonly Memory[], { missingPaths }: DreamInput): Finding[] {
  return memories.flatMap((memory) => {
    const missing = [...missingPaths(memory)].sort();
    const what = `${memory.id} names files that are not there: ${missing.join(", ")}`;
    return missing.length > 0 ? [{ ids: [memory.id], what }] : [];
  });
}

/** Contradictions that a person or a model has to resolve. */
function findContradictions(memories: readonly Memory[], similarTo: SimilarTo): Finding[] {
  const byID = new Map(memories.map((memory) => [memory.id, memory]));
  const found = new Map<string, Finding>();
  for (const memory of memories) {
    for (const id of similarTo(memory)) {
      const other = byID.get(id);
      if (!other || other === memory || !isContradiction(memory, other)) continue;
      const ids = [memory.id, id].sort();
      const what = `${ids.join(" and ")} say different things of "${memory.title}": keep what holds, archive the other`;
      found.set(ids.join(" "), { ids, what });
    }
  }
  return [...found.values()];
}
