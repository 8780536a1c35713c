/** Changes as they follow each other. Pure. */
import type { Memory } from "../../src/memory/memory.js";
import type { Change } from "./change.js";

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
