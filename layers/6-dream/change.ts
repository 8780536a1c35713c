/** A dream's changes as plain data: planned, staged, checked, and swapped in all together or not at all. */
import { createHash } from "node:crypto";
import type { Memory } from "../../src/memory/memory.js";

/** The new form of one memory. Nothing is deleted: a removed memory is archived and names its successor. */
export interface Change {
  /** The memory when it was planned; the swap compares it with the disk to detect concurrent changes. */
  before: Memory;
  after: Memory;
  kind: ChangeKind;
  /** Shown to people in DREAMS.md. */
  reason: string;
}

export type ChangeKind =
  /** Absorbs others that say the same. */
  | "merged"
  /** Another memory says it: `supersededBy`. */
  | "superseded"
  /** New words, same meaning. */
  | "reworded"
  /** Expired, or unused for long. */
  | "archived"
  /** Said in several sessions. */
  | "confirmed";

/** Something for a person or a model to review; the memories stay unchanged. */
export interface Finding {
  ids: readonly string[];
  what: string;
}

/** Equal for findings with the same text. */
export const nameFinding = ({ what }: Finding): string =>
  createHash("sha256").update(what).digest("hex").slice(0, 12);

export interface DreamPlan {
  changes: readonly Change[];
  findings: readonly Finding[];
}

const PROTECTED_TYPES: ReadonlySet<Memory["type"]> = new Set(["directive", "decision", "feedback"]);

/** Dreams neither remove nor reword pinned memories, or what a person has ordered, decided or corrected. */
export function isProtected({ pinned, type }: Memory): boolean {
  return pinned || PROTECTED_TYPES.has(type);
}

/** The memories after these changes. */
export function carryOut(memories: readonly Memory[], changes: readonly Change[]): readonly Memory[] {
  const after = new Map(changes.map((change) => [change.before.id, change.after]));
  return memories.map((memory) => after.get(memory.id) ?? memory);
}

/** One change for each memory; `later` was planned on the result of `earlier`. */
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
