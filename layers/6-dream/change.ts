/** What a dream wants to do, as plain data: it is planned, staged, checked and swapped in as a whole, or not at all. */
import { createHash } from "node:crypto";
import type { Memory } from "../../src/memory/memory.js";

/** One memory as it shall be. Nothing is ever deleted: what goes is archived, and says what has taken its place. */
export interface Change {
  /** The memory as it is now, by which it is noticed that somebody has changed it meanwhile. */
  before: Memory;
  after: Memory;
  kind: ChangeKind;
  /** For people, in DREAMS.md. */
  reason: string;
}

export type ChangeKind =
  /** It takes in others that say the same. */
  | "merged"
  /** Another one says it: `supersededBy`. */
  | "superseded"
  /** Its words have changed, what it says has not. */
  | "reworded"
  /** It has ended, or nobody has needed it for long. */
  | "archived"
  /** Said in several sessions. */
  | "confirmed";

/** Something a person, or a model, should look at; the memories stay as they are. */
export interface Finding {
  ids: readonly string[];
  what: string;
}

/** The same for findings that say the same. */
export const nameFinding = ({ what }: Finding): string =>
  createHash("sha256").update(what).digest("hex").slice(0, 12);

export interface DreamPlan {
  changes: readonly Change[];
  findings: readonly Finding[];
}

const PROTECTED_TYPES: ReadonlySet<Memory["type"]> = new Set(["directive", "decision", "feedback"]);

/** No dream takes these out of memory or changes their words: pinned ones, and what a person has ordered, decided or corrected. */
export function isProtected({ pinned, type }: Memory): boolean {
  return pinned || PROTECTED_TYPES.has(type);
}

/** The memories as these changes leave them. */
export function carryOut(memories: readonly Memory[], changes: readonly Change[]): readonly Memory[] {
  const after = new Map(changes.map((change) => [change.before.id, change.after]));
  return memories.map((memory) => after.get(memory.id) ?? memory);
}

/** One change for each memory, where `later` goes on from what `earlier` leaves. */
export function compose(earlier: readonly Change[], later: readonly Change[]): readonly Change[] {
  const changes = new Map(earlier.map((change) => [change.before.id, change]));
  for (const change of later) {
    const first = changes.get(change.before.id);
    const { after, kind } = change;
    const reason = first ? `${first.reason}; ${change.reason}` : change.reason;
    changes.set(change.before.id, first ? { before: first.before, after, kind, reason } : change);
  }
  return [...changes.values()];
}
