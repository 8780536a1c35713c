/**
 * Adapts notes, memories and candidates to turns that the user undid: in the background, and before a request that shows
 * the undo. One undo is followed after the other, and a request waits for those that were heard before it.
 */
import { formatError } from "../../../src/base/error.js";
import { isRecord } from "../../../src/base/shape.js";
import type { ContextRequest } from "../../../src/context/request.js";
import { type Clock, waitAtMost } from "../../../src/io/clock.js";
import type { Log } from "../../../src/io/log.js";
import type { Message } from "../../../src/io/message.js";
import type { LayerContext } from "../../../src/kernel/layer-context.js";
import type { Memory } from "../../../src/memory/memory.js";
import type { Cause } from "../../../src/memory/store/ledger-line.js";
import type { Memories } from "../../../src/memory/store/store.js";
import { mayBeHosts } from "../../../src/memory/store/undo-guard.js";
import { findEventSession, type HostEvent } from "../../../src/messages/events.js";
import { isOnlyRest } from "../../../src/messages/history.js";
import { isTakenBack, planMemories } from "./plan-memories.js";

export interface Following {
  /** Follows undos that the request's messages show. `isSettled`: an earlier request of this session was checked. */
  look(request: ContextRequest, isSettled: boolean): Promise<void>;
  hear(event: HostEvent): void;
  /** Ids of the memories archived because of an undo, as last read. */
  away(): ReadonlySet<string>;
}

export interface FollowingOptions extends LayerContext {
  layer: string;
  /** Notes or memories have changed. */
  onChange(this: void): void;
}

const FIRST_READ_MS = 200;
/** How long a request waits for undos that are being followed. */
const PENDING_MS = 1_500;
const ATTEMPTS = 5;
const RETRY_MS = 5_000;

export function createFollowing(options: FollowingOptions): Following {
  const { background, candidates, clock, config, host, layer, log, memories, notes, onChange } = options;
  const keepsNotes = config.sessionMemory.enabled || config.autoCompact.enabled;
  const keepsMemories = config.autoMemory.enabled;
  const own = createTakenMemories({
    ...options,
    onRefused: (sessionID) => void clock.after(RETRY_MS, () => later(sessionID, 1)),
  });
  const followOwn = followBoth(own, options);
  const reading = createReading(own, options);
  const undos = createHostUndos({
    onFirst: checkLater,
    onUndo(sessionID) {
      touched.add(sessionID);
      later(sessionID);
    },
  });
  const waiting = new Set<string>();
  const line = createLine(options);
  /** Sessions with an undo; one of their memories or candidates may still be on its way to the disk. */
  const touched = new Set<string>();
  const followTouched = (): void => {
    for (const sessionID of touched) later(sessionID);
  };
  if (keepsMemories) {
    candidates.onChange(followTouched);
    memories.onChange(() => {
      reading.later();
      followTouched();
    });
  }

  return {
    hear: undos.hear,
    away: own.away,

    async look({ history, sessionID }, isSettled) {
      await line.settle();
      const hasChanged = keepsNotes && (await notes.follow(sessionID, history.messages));
      if (hasChanged) onChange();
      if (!keepsMemories) return;
      const isNew = history.messages.length === 1;
      if (hasChanged) touched.add(sessionID);
      if (hasChanged) await line.run(() => followMemories(sessionID));
      else if (!isNew && !isSettled) later(sessionID);
      if (!isNew) await reading.first();
    },
  };

  /** The process that received the undo event may have ended before it followed it. */
  function checkLater(sessionID: string): void {
    void background
      .add(async () => {
        if (keepsNotes && (await notes.takenBack(sessionID)).length > 0) later(sessionID);
      })
      .catch((thrown) => log.error(layer, `cannot read the notes of ${sessionID}: ${formatError(thrown)}`));
  }

  /** Runs in the background, once for events that come together; tries again if the host does not answer in time. */
  function later(sessionID: string, attempts = ATTEMPTS): void {
    if (waiting.has(sessionID) || attempts === 0) return;
    waiting.add(sessionID);
    line.add(sessionID, () => follow(sessionID, attempts));
  }

  async function follow(sessionID: string, attempts: number): Promise<void> {
    waiting.delete(sessionID);
    const messages = await host.readMessages(sessionID);
    if (!messages) {
      clock.after(RETRY_MS, () => later(sessionID, attempts - 1));
      return;
    }
    await mend(sessionID, attempts);
    if (keepsNotes && (await notes.followHost(sessionID, messages))) onChange();
    if (keepsMemories) await followOwn(sessionID, messages);
  }

  /** Runs before memories are archived or restored, since the host's undo may have removed their files. */
  async function mend(sessionID: string, attempts: number): Promise<void> {
    if (!keepsMemories) return;
    // Taken before the wait, so that a later undo is not cleared with this one.
    const which = undos.takeUnmended(sessionID);
    if (which === undefined) return;
    try {
      await own.mend(which === "any" ? undefined : await host.listFilesPutBack(sessionID));
    } catch (thrown) {
      // The disk may work again later.
      undos.keepUnmended(sessionID);
      clock.after(RETRY_MS, () => later(sessionID, attempts - 1));
      throw thrown;
    }
  }

  async function followMemories(sessionID: string): Promise<void> {
    const messages = await host.readMessages(sessionID);
    if (!messages) later(sessionID);
    else await followOwn(sessionID, messages);
  }
}

/** Undos in line: an undo and its redo must not be followed at the same time. */
function createLine({ background, clock, layer, log }: FollowingOptions) {
  const pending = new Set<Promise<unknown>>();
  let last: Promise<unknown> = Promise.resolve();

  return {
    run,

    /** Runs in the background, before other work there. */
    add(sessionID: string, action: () => Promise<void>): void {
      const done = background
        .add(() => run(action), { priority: 1 })
        .catch((thrown) => log.error(layer, `cannot follow an undo in ${sessionID}: ${formatError(thrown)}`))
        .finally(() => pending.delete(done));
      pending.add(done);
    },

    /** Resolves when those in line are done, or their time is up. */
    async settle(): Promise<void> {
      if (pending.size > 0) await waitAtMost(clock, PENDING_MS, () => Promise.all(pending));
    },
  };

  function run(action: () => Promise<void>): Promise<void> {
    const running = last.then(action);
    last = running.catch(() => {});
    return running;
  }
}

/**
 * Memories first: they follow even if the user's state folder cannot be read. Nothing is missing from a list of only what
 * came after a compaction.
 */
function followBoth(
  own: Pick<TakenMemories, "follow">,
  { candidates, onChange }: Pick<FollowingOptions, "candidates" | "onChange">,
) {
  return async (sessionID: string, messages: readonly Message[]): Promise<void> => {
    if (isOnlyRest(messages)) return;
    if (await own.follow(sessionID, messages)) onChange();
    await candidates.follow(sessionID, messages);
  };
}

/** Reads which memories are archived because of an undo. */
function createReading(
  own: Pick<TakenMemories, "refresh">,
  { background, clock, layer, log, onChange }: FollowingOptions,
) {
  let isRead = false;
  let isReading = false;

  return {
    /** Waits briefly for the first read. */
    async first(): Promise<void> {
      if (isRead) return;
      const waited = await waitAtMost(clock, FIRST_READ_MS, read);
      if (waited.kind === "failed") reportUnread(waited.thrown);
    },

    /** Reads in the background, once for changes that come together. */
    later(): void {
      if (isReading) return;
      isReading = true;
      void background
        .add(async () => {
          isReading = false;
          await read();
        })
        .catch(reportUnread);
    },
  };

  async function read(): Promise<void> {
    if (await own.refresh()) onChange();
    isRead = true;
  }

  function reportUnread(thrown: unknown): void {
    log.error(layer, `cannot read the memories: ${formatError(thrown)}`);
  }
}

/* Follows the host's events about undone turns and removed messages. */

export interface HostUndos {
  hear(event: HostEvent): void;
  /**
   * Which files the host has reverted in this session without a repair since: those of the undone turns ("listed") or any.
   * Clears the mark.
   */
  takeUnmended(sessionID: string): "listed" | "any" | undefined;
  /** The repair failed: any file may still be reverted. */
  keepUnmended(sessionID: string): void;
}

export interface HostUndosOptions {
  /** Messages of the session were undone, restored or removed. */
  onUndo(this: void, sessionID: string): void;
  /** First event of a session, with nothing undone. */
  onFirst(this: void, sessionID: string): void;
}

export function createHostUndos({ onFirst, onUndo }: HostUndosOptions): HostUndos {
  /** By session: where the undone part begins; "" if nothing is undone. */
  const undone = new Map<string, string>();
  const unmended = new Map<string, "listed" | "any">();

  return {
    hear({ properties, type }) {
      if (type === "session.updated") hearUpdate(properties.info);
      if (type !== "message.removed" && type !== "message.part.removed") return;
      const sessionID = findEventSession(properties);
      if (sessionID !== undefined) onUndo(sessionID);
    },

    takeUnmended(sessionID) {
      const which = unmended.get(sessionID);
      unmended.delete(sessionID);
      return which;
    },

    keepUnmended(sessionID) {
      unmended.set(sessionID, "any");
    },
  };

  function hearUpdate(info: unknown): void {
    if (!isRecord(info) || typeof info.id !== "string") return;
    const { revert } = info;
    const from = isRecord(revert) ? `${revert.messageID} ${revert.partID}` : "";
    const before = undone.get(info.id);
    undone.set(info.id, from);
    if (before === undefined && from === "") onFirst(info.id);
    else if (before !== from) {
      unmended.set(info.id, before ? "any" : "listed");
      onUndo(info.id);
    }
  }
}

/* Archives memories whose message the user has undone, and restores them with it. */

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
  memories: Pick<Memories, "history" | "list" | "mendAfterUndo" | "restore" | "changeAll" | "update">;
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
        const allChanged = await memories.changeAll(changes, {
          operation: "archive",
          reason: AWAY,
          ...cause,
        });
        const ids = changes.map(({ before }) => before.id).join(", ");
        if (allChanged.kind === "refused") onRefused(sessionID);
        if (allChanged.kind === "refused") log.warn(SOURCE, `cannot archive ${ids} yet: ${allChanged.why}`);
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
