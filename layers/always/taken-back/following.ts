/**
 * Adapts notes, memories and candidates to turns that the user undid: in the background, and before a request that shows
 * the undo. One undo is followed after the other, and a request waits for those that were heard before it.
 */

import { formatError } from "../../../src/base/error.js";
import type { ContextRequest } from "../../../src/context/request.js";
import { waitAtMost } from "../../../src/io/clock.js";
import type { Message } from "../../../src/io/message.js";
import type { LayerContext } from "../../../src/kernel/layer-context.js";
import type { HostEvent } from "../../../src/messages/events.js";
import { isOnlyRest } from "../../../src/messages/history.js";
import { createHostUndos } from "./host-undos.js";
import { createTakenMemories, type TakenMemories } from "./memories.js";

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
