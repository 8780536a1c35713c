/** Archives memories whose message the user has undone, and restores them with it. */

import type { Clock } from "../../../src/io/clock.js";
import type { Log } from "../../../src/io/log.js";
import type { Message } from "../../../src/io/message.js";
import type { Memory } from "../../../src/memory/memory.js";
import type { Cause } from "../../../src/memory/store/ledger-line.js";
import { mayBeHosts } from "../../../src/memory/store/put-back.js";
import type { Memories } from "../../../src/memory/store.js";
import { isTakenBack, planMemories } from "./plan-memories.js";

export interface TakenMemories {
  /** Adapts the memories to all of the session's messages; returns whether one changed. Rejects if the disk fails. */
  follow(sessionID: string, messages: readonly Message[]): Promise<boolean>;
  /** Repairs memory files that the host's undo has reverted, these or any. Rejects if the disk fails. */
  mend(touched?: readonly string[]): Promise<void>;
  /** Reads which memories are archived because of an undo; returns whether that has changed. */
  refresh(): Promise<boolean>;
  /** Ids, as last read. */
  away(): ReadonlySet<string>;
}

export interface TakenMemoriesOptions {
  clock: Clock;
  instance: string;
  /** Called for a session whose memories were changed by another writer meanwhile. */
  onRefused(sessionID: string): void;
  log: Log;
  memories: Pick<Memories, "history" | "list" | "mendAfterUndo" | "restore" | "swap" | "update">;
}

const SOURCE = "taken-back";
const AWAY = "the user took the message back";
const BACK = "the user brought the message back";
/** As with every undo, it does not make a foreign memory the user's. */
const MENDED = { operation: "restore", reason: "OpenCode's undo had put the file back", undoes: "opencode" };

export function createTakenMemories(options: TakenMemoriesOptions): TakenMemories {
  const { clock, instance, log, memories, onRefused } = options;
  let away: ReadonlySet<string> = new Set();

  return {
    async follow(sessionID, messages) {
      const all = await memories.list({ archived: true });
      if (!all.some(({ provenance }) => provenance.session === sessionID && provenance.message)) return false;
      const now = new Date(clock.now()).toISOString();
      const plan = planMemories(all, { messages, now, sessionID });
      const changes = [];
      for (const change of plan.away) if (!(await isByHand(change.before))) changes.push(change);
      const cause = { session: sessionID, run: `${instance}-${clock.now().toString(36)}` };
      if (changes.length > 0) {
        const swapped = await memories.swap(changes, { operation: "archive", reason: AWAY, ...cause });
        const ids = changes.map(({ before }) => before.id).join(", ");
        if (swapped.kind === "refused") onRefused(sessionID);
        if (swapped.kind === "refused") log.warn(SOURCE, `cannot archive ${ids} yet: ${swapped.why}`);
        else log.info(SOURCE, `${AWAY}, archived: ${ids}`);
      }
      for (const change of plan.back)
        await bringBack(change, { operation: "restore", reason: BACK, ...cause });
      if (changes.length + plan.back.length > 0) await refresh();
      return changes.length + plan.back.length > 0;
    },

    async mend(touched) {
      const ids = await memories.mendAfterUndo(MENDED, touched && new Set(touched));
      if (ids.length > 0) log.info(SOURCE, `${MENDED.reason}, repaired: ${ids.join(", ")}`);
    },

    refresh,
    away: () => away,
  };

  async function refresh(): Promise<boolean> {
    const all = await memories.list({ archived: true });
    const now = new Set(all.filter(isTakenBack).map(({ id }) => id));
    const isOther = now.size !== away.size || [...now].some((id) => !away.has(id));
    away = now;
    return isOther;
  }

  /** Has a person edited the file? */
  async function isByHand({ id }: Memory): Promise<boolean> {
    const stood = new Set<string>();
    for (const line of await memories.history(id)) {
      if (line.by === "person" && !mayBeHosts(line, stood)) return true;
      if (line.after !== null) stood.add(line.after);
    }
    return false;
  }

  async function bringBack(
    { before, after }: { before: Memory; after: Memory },
    cause: Cause,
  ): Promise<void> {
    if (before.status === "archived") {
      const restored = await memories.restore(before.id, cause);
      if (restored.kind === "refused") {
        log.warn(SOURCE, `cannot restore ${before.id}: ${restored.why}`);
        return;
      }
    }
    const { extra, supersededBy } = after;
    const status = before.status === "archived" ? undefined : after.status;
    await memories.update(
      before.id,
      (current) => ({ ...current, extra, ...(status && { status }), ...(supersededBy && { supersededBy }) }),
      cause,
    );
  }
}
