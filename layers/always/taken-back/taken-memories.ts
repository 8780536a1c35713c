/**
 * Archives memories whose message the user has undone, and restores them with it.
 *
 *     its message is gone, or no longer says it     archived, and marked with the time
 *     also said in another message or session       stays
 *     a memory that it had superseded               becomes active again
 *     the message is back                           restored, unless it was moved meanwhile
 */

import { foldLetters } from "../../../src/base/text.js";
import type { Message } from "../../../src/io/message.js";
import type { LayerContext } from "../../../src/kernel/layer-context.js";
import { isCurrent, type Memory, readSessions } from "../../../src/memory/memory.js";
import { type Cause, mayBeHosts } from "../../../src/memory/store/ledger.js";
import { nameMessage, readOwnTexts } from "../../../src/messages/call.js";

const SOURCE = "taken-back";
const AWAY = "the user took the message back";
const BACK = "the user brought the message back";
/** As with every undo, it does not make a foreign memory the user's. */
const MENDED = { operation: "restore", reason: "OpenCode's undo had put the file back", undoes: "opencode" };

/** `onRefused` is called for a session whose memories were changed by another writer meanwhile. */
export function createTakenMemories(context: LayerContext, onRefused: (sessionID: string) => void) {
  const { clock, instance, log, memories } = context;
  let away: ReadonlySet<string> = new Set();

  return {
    /** Adapts the memories to all of the session's messages; returns whether one changed. Rejects if the disk fails. */
    async follow(sessionID: string, messages: readonly Message[]): Promise<boolean> {
      const all = await memories.list({ archived: true });
      if (!all.some(({ provenance }) => provenance.session === sessionID && provenance.message)) return false;
      const now = new Date(clock.now()).toISOString();
      const plan = planMemories(all, { messages, now, sessionID });
      const changes = [];
      for (const change of plan.away) if (!(await isByHand(change.before))) changes.push(change);
      const cause = { session: sessionID, run: `${instance}-${clock.now().toString(36)}` };
      if (changes.length > 0) {
        const archived = await memories.changeAll(changes, { operation: "archive", reason: AWAY, ...cause });
        const ids = changes.map(({ before }) => before.id).join(", ");
        if (archived.kind === "refused") {
          onRefused(sessionID);
          log.warn(SOURCE, `cannot archive ${ids} yet: ${archived.why}`);
        } else log.info(SOURCE, `${AWAY}, archived: ${ids}`);
      }
      for (const change of plan.back)
        await bringBack(change, { operation: "restore", reason: BACK, ...cause });
      if (changes.length + plan.back.length > 0) await refresh();
      return changes.length + plan.back.length > 0;
    },

    /** Repairs memory files that the host's undo has reverted, these or any. Rejects if the disk fails. */
    async mend(touched?: readonly string[]): Promise<void> {
      const ids = await memories.mendAfterUndo(MENDED, touched && new Set(touched));
      if (ids.length > 0) log.info(SOURCE, `${MENDED.reason}, repaired: ${ids.join(", ")}`);
    },

    refresh,
    away: () => away,
  };

  /** Reads which memories are archived because of an undo; returns whether that has changed. */
  async function refresh(): Promise<boolean> {
    const all = await memories.list({ archived: true });
    const now = new Set(all.filter(isTakenBack).map(({ id }) => id));
    const isOther = now.size !== away.size || [...now].some((id) => !away.has(id));
    away = now;
    return isOther;
  }

  async function isByHand({ id }: Memory): Promise<boolean> {
    const stood = new Set<string>();
    for (const line of await memories.history(id)) {
      if (line.by === "person" && !mayBeHosts(line, stood)) return true;
      if (line.after !== null) stood.add(line.after);
    }
    return false;
  }

  async function bringBack({ after, before }: MemoryPlan["back"][number], cause: Cause): Promise<void> {
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

/* What to archive and to restore. Pure. */

/** Frontmatter keys: when a memory was archived; and the archived memory that had superseded this one. */
const TAKEN_BACK = "takenBack";
const FREED_BY = "freedBy";

type MemoryPlan = Record<"away" | "back", { before: Memory; after: Memory }[]>;

export const isTakenBack = ({ extra, status }: Memory): boolean =>
  status === "archived" && extra[TAKEN_BACK] !== undefined;

/** `all` includes archived memories; `messages` are all messages of the session. */
export function planMemories(
  all: readonly Memory[],
  { messages, now, sessionID }: { messages: readonly Message[]; now: string; sessionID: string },
): MemoryPlan {
  const said = readSaid(messages);
  const away: MemoryPlan["away"] = [];
  const back: MemoryPlan["back"] = [];
  for (const before of all) {
    if (before.provenance.session !== sessionID || before.provenance.message === undefined) continue;
    const { [TAKEN_BACK]: _, ...extra } = before.extra;
    if (isTakenBack(before) && isSaid(before, said)) back.push({ before, after: { ...before, extra } });
    if (!mayGo(before) || isSaid(before, said) || isSaidElsewhere(before, said)) continue;
    away.push({ before, after: { ...before, status: "archived", extra: { ...extra, [TAKEN_BACK]: now } } });
  }
  const gone = new Set(away.map(({ before }) => before.id));
  const there = new Set(back.map(({ before }) => before.id));
  for (const before of all) {
    const { status, supersededBy, ...rest } = before;
    const { [FREED_BY]: by, ...extra } = before.extra;
    if (status === "superseded" && supersededBy !== undefined && gone.has(supersededBy)) {
      const marked = { ...before.extra, [FREED_BY]: supersededBy };
      away.push({ before, after: { ...rest, status: "active", extra: marked } });
    }
    if (status === "active" && typeof by === "string" && there.has(by))
      back.push({ before, after: { ...before, status: "superseded", supersededBy: by, extra } });
  }
  return { away, back };
}

/** Leaves out what a person has written and what was restored by hand. */
function mayGo(memory: Memory): boolean {
  const { extra, isForeign, provenance } = memory;
  return isCurrent(memory) && !isForeign && provenance.by !== "person" && extra[TAKEN_BACK] === undefined;
}

type Said = ReturnType<typeof readSaid>;

/** `texts`, by message id: the letters and digits of its text. */
function readSaid(messages: readonly Message[]) {
  const texts = new Map<string, string>();
  const users: string[] = [];
  for (const { info, parts } of messages) {
    const text = info.role === "user" ? foldLetters(readOwnTexts(parts).join(" ")) : "";
    texts.set(info.id ?? nameMessage(info), text);
    if (info.role === "user") users.push(text);
  }
  return { texts, users };
}

/** Does its message exist and contain the quoted words? For an agent's memory the words are not checked. */
function isSaid({ provenance: { by, evidence, message = "" } }: Memory, { texts }: Said): boolean {
  const text = texts.get(message);
  if (text === undefined) return false;
  // A redacted quotation is not found in the message, which still has the secret.
  const isWhole = evidence !== undefined && !/redacted|\[removed: /i.test(evidence);
  return by !== "user" || !isWhole || text.includes(foldLetters(evidence));
}

function isSaidElsewhere(memory: Memory, { users }: Said): boolean {
  const { evidence } = memory.provenance;
  const quoted = foldLetters(evidence ?? "");
  return readSessions(memory).length > 1 || (quoted !== "" && users.some((text) => text.includes(quoted)));
}
