/**
 * Plans a dream as plain data, without a model. Pure: the same memories on the same day give the same plan, and planning
 * again after the plan is carried out gives an empty one. All changes go to disk together or not at all.
 */
import { DAY_MS } from "../../src/base/days.js";
import { hashOf } from "../../src/base/hash.js";
import { groupBy } from "../../src/base/shape.js";
import { isContradiction, kindOf } from "../../src/memory/found.js";
import {
  CONFIRMING_SESSIONS,
  isCurrent,
  isFinding,
  lastingTypes,
  type Memory,
  readSessions,
  usersTypes,
} from "../../src/memory/memory.js";
import { readMeaning } from "../../src/text/compare.js";
import { withAbsoluteDates } from "../../src/text/dates.js";
import { countShared, FILLERS, readWords } from "../../src/text/words.js";

/** The new form of one memory. Nothing is deleted: a removed memory is archived and names its successor. */
export interface Change {
  /** The memory when it was planned; the swap compares it with the disk to detect concurrent changes. */
  before: Memory;
  after: Memory;
  kind: ChangeKind;
  reason: string;
}

/** The kinds of steps, the weightiest first. A change has the kind of its weightiest step. */
const KINDS = ["archived", "superseded", "merged", "confirmed", "reworded"] as const;
export type ChangeKind = (typeof KINDS)[number];

interface Draft {
  before: Memory;
  after: Memory;
  steps: { kind: ChangeKind; reason: string }[];
}

export type Drafts = ReadonlyMap<string, Draft>;

export function readChanges(drafts: Drafts): Change[] {
  return [...drafts.values()].flatMap(({ after, before, steps }) => {
    const kind = KINDS.find((one) => steps.some((step) => step.kind === one));
    return kind ? [{ before, after, kind, reason: steps.map(({ reason }) => reason).join("; ") }] : [];
  });
}

/** The memories after the changes, without archived ones. */
export const readLiving = (drafts: Drafts): Memory[] =>
  [...drafts.values()].map(({ after }) => after).filter(isCurrent);

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
  reason: string;
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
  lastUsedMs(memory: Memory): number;
  /** Has use been tracked since this time? */
  isWatchedSince(timeMs: number): boolean;
  missingPaths(memory: Memory): readonly string[];
}

export interface Plan {
  drafts: Drafts;
  /** Ids of memories that say different things, for a person to decide: the newer one first. */
  contradictions: readonly (readonly [string, string])[];
  /**
   * Ids of memories that name files which are not there. A file missing on this branch may exist on another, so a person
   * judges.
   */
  stale: readonly string[];
}

export function planDream(input: DreamInput): Plan {
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
  for (const { others, survivor } of findDuplicates(readLiving(drafts))) {
    // Protected duplicates stay: better stored twice than lost.
    const supersede = others.filter((other) => !isProtected(other)).map(({ id }) => id);
    merge(drafts, { keep: survivor.id, supersede, reason: "the words differ at most in form" });
  }
  for (const memory of readLiving(drafts)) confirm(drafts, memory);
  const living = readLiving(drafts);
  const contradictions = findContradictions(living).map(([one, other]) =>
    one.updated < other.updated ? ([other.id, one.id] as const) : ([one.id, other.id] as const),
  );
  const stale = living.filter((memory) => !memory.pinned && input.missingPaths(memory).length > 0);
  return { drafts, contradictions, stale: stale.map(({ id }) => id) };
}

/** A memory below this importance and unused for this time is archived. */
const FORGOTTEN_BELOW = 0.3;
const FORGOTTEN_AFTER_MS = 90 * DAY_MS;
/** Superseded memories and resolved blockers remain useful for a while. */
const SUPERSEDED_AFTER_MS = 30 * DAY_MS;
const RESOLVED_AFTER_MS = 90 * DAY_MS;

function findEnd(memory: Memory, input: DreamInput): string | undefined {
  const { nowMs } = input;
  const { expires, pinned, status, type, updated } = memory;
  if (pinned) return undefined;
  if (expires !== undefined && Date.parse(expires) <= nowMs)
    return `it was to be kept until ${expires.slice(0, 10)}`;
  if (isProtected(memory)) return undefined;
  const oldMs = nowMs - Date.parse(updated);
  if (type === "blocker") {
    const isOver = status === "resolved" && oldMs >= RESOLVED_AFTER_MS;
    return isOver ? `the blocker was resolved on ${updated.slice(0, 10)}` : undefined;
  }
  if (status === "superseded") {
    const isOver = oldMs >= SUPERSEDED_AFTER_MS;
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

/*
 * Memories that say the same, contradict each other or share most words. Two say the same if they differ only in wording
 * (see src/text/compare.ts). Sharing nearly all words is not enough: "the port is 8080" and "the port is 8081" share them.
 */

/** Groups of memories of one kind and status that say the same; each memory is in at most one. */
export function findDuplicates(memories: readonly Memory[]): { survivor: Memory; others: Memory[] }[] {
  return [...groupBy(memories, keyOf).values()].flatMap((members) => {
    const [survivor, ...others] = members.sort(compareWorth);
    return survivor && others.length > 0 ? [{ survivor, others }] : [];
  });
}

/** Equal for memories that say the same; `undefined` for a memory without meaning. */
function keyOf(memory: Memory): string | undefined {
  const { content, status } = memory;
  const meaning = readMeaning(content);
  if (meaning === "") return undefined;
  return JSON.stringify([kindOf(memory), status, readSubject(memory, meaning), meaning]);
}

/** The title if it adds to the text, or "": "It listens on 8080" means something else under another title. */
function readSubject({ content, title }: Memory, meaning = readMeaning(content)): string {
  const words = readMeaning(title).replace(/…$/, "").split(" ");
  const said = new Set(meaning.split(" "));
  const isSaid = words.every((word) => said.has(word) || FILLERS.has(word));
  return isSaid ? "" : words.join(" ");
}

export type Pair = readonly [one: Memory, other: Memory];

/** Maximum number of pairs per memory, most similar first. */
const MOST_OF_ONE = 8;

/** Pairs of one kind and title with different numbers, names or negations. */
export function findContradictions(memories: readonly Memory[]): Pair[] {
  const groups = groupBy(memories, (memory) => `${kindOf(memory)} ${readMeaning(memory.title)}`);
  return [...groups.values()].flatMap((group) =>
    group.flatMap((one, n) =>
      group
        .slice(n + 1, n + 1 + MOST_OF_ONE)
        .filter((other) => isContradiction(one, other))
        .map((other) => [one, other] as const),
    ),
  );
}

/** Number of a memory's rarest words used to find others. */
const RAREST = 4;
/** Words in more memories find too many. */
const MOST_HAVING = 100;
/** Minimum share of the shorter memory's words in the longer one. */
const SHARED = 0.6;

/**
 * Pairs that share most of their words, each once, in the order of the memories. Does not compare every pair: a similar
 * memory has at least one of the rarest words.
 */
export function findNearPairs(memories: readonly Memory[]): Pair[] {
  const words = memories.map(({ content, title }) => readWords(content.trim() === "" ? title : content));
  const places = words.flatMap((own, n) => [...own].map((word) => ({ n, word })));
  const byWord = groupBy(places, ({ word }) => word);
  const having = (word: string) => byWord.get(word) ?? [];
  const pairs = new Map<string, Pair>();
  for (const [n, own] of words.entries()) {
    const rarest = [...own].sort((a, b) => having(a).length - having(b).length).slice(0, RAREST);
    const telling = rarest.map(having).filter(({ length }) => length <= MOST_HAVING);
    const others = new Set(telling.flat().map((place) => place.n));
    others.delete(n);
    const near = [...others]
      .map((other) => ({ other, share: shareOf(own, words[other]) }))
      .filter(({ share }) => share >= SHARED)
      .sort((a, b) => b.share - a.share || a.other - b.other)
      .slice(0, MOST_OF_ONE);
    for (const { other } of near) {
      const [first, second] = n < other ? [n, other] : [other, n];
      const [one, two] = [memories[first], memories[second]];
      if (one && two) pairs.set(`${first} ${second}`, [one, two]);
    }
  }
  return [...pairs.values()];
}

function shareOf(one: ReadonlySet<string>, other: ReadonlySet<string> = new Set()): number {
  const [small, large] = one.size < other.size ? [one, other] : [other, one];
  return small.size === 0 ? 0 : countShared(small, large) / small.size;
}

/** Pinned first, then the user's own words, then the more important, then the newer; the id breaks ties. */
function compareWorth(one: Memory, other: Memory): number {
  const rank = ({ provenance }: Memory): number => (["user", "person"].includes(provenance.by) ? 0 : 1);
  return (
    Number(other.pinned) - Number(one.pinned) ||
    rank(one) - rank(other) ||
    other.importance - one.importance ||
    other.updated.localeCompare(one.updated) ||
    one.id.localeCompare(other.id)
  );
}

/** Names a memory by its present wording: changes when a person changes its text. */
export const nameWords = ({ content, id, title }: Memory): string =>
  hashOf(JSON.stringify([id, title, content])).slice(0, 12);

const PROTECTED_TYPES: ReadonlySet<Memory["type"]> = new Set(["directive", "decision", "feedback"]);

/** Pinned, or what a person has ordered, decided or corrected: neither removed nor reworded without being asked for. */
export function isProtected({ pinned, type }: Memory): boolean {
  return pinned || PROTECTED_TYPES.has(type);
}

/**
 * Merges the metadata of absorbed memories into the survivor, which keeps its own text and lives as long as the longest
 * of them.
 */
export function mergeMetadata(survivor: Memory, absorbed: readonly Memory[]): Memory {
  const all = [survivor, ...absorbed];
  const union = (pick: (memory: Memory) => readonly string[]): string[] => [...new Set(all.flatMap(pick))];
  const ids = new Set(all.map(({ id }) => id));
  const titles = absorbed.map(({ title }) => title).filter((title) => title !== survivor.title);
  const sessions = union(readSessions);
  const { expires: _, ...lasting } = survivor;
  // One that never expires makes the result so.
  const expires = all
    .map((memory) => memory.expires)
    .reduce((one, other) => (one === undefined || other === undefined ? undefined : later(one, other)));
  return {
    ...lasting,
    ...(expires !== undefined && { expires }),
    aliases: [...new Set([...union(({ aliases }) => aliases), ...titles])],
    tags: union(({ tags }) => tags),
    entities: union(({ entities }) => entities),
    links: union(({ links }) => links).filter((id) => !ids.has(id)),
    when: union(({ when }) => when),
    importance: Math.max(...all.map(({ importance }) => importance)),
    // The newest time, so that the result is not forgotten before any of them would have been.
    updated: all.map(({ updated }) => updated).reduce(later),
    extra: { ...survivor.extra, ...(sessions.length > 0 && { sessions }) },
  };
}

const later = (one: string, other: string): string => (Date.parse(one) >= Date.parse(other) ? one : other);
