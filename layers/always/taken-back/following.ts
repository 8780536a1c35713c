/**
 * Adapts notes, memories and candidates to turns that the user undid: in the background, and before a request that shows
 * the undo. One undo is followed after the other, as an undo and its redo must not be at the same time; a request waits for
 * those that were heard of before it.
 */
import { formatError } from "../../../src/base/error.js";
import { isRecord } from "../../../src/base/shape.js";
import type { ContextRequest } from "../../../src/context/request.js";
import { waitAtMost } from "../../../src/io/clock.js";
import type { Message } from "../../../src/io/message.js";
import type { LayerContext } from "../../../src/kernel/layer-context.js";
import { findEventSession, type HostEvent } from "../../../src/messages/events.js";
import { isOnlyRest } from "../../../src/messages/history.js";
import { createTakenMemories, type TakenMemories } from "./taken-memories.js";

export interface Following {
  /** Follows undos that the request's messages show. `isChecked`: an earlier request of this session was checked. */
  follow(request: ContextRequest, isChecked: boolean): Promise<void>;
  onEvent(event: HostEvent): void;
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
  const { candidates, clock, config, host, memories, notes, onChange } = options;
  const keepsNotes = config.sessionMemory.enabled || config.autoCompact.enabled;
  const keepsMemories = config.autoMemory.enabled;
  const own = createTakenMemories({ ...options, onRefused: (sessionID) => retry(sessionID, 1) });
  const undos = createHostUndos();
  /** Sessions to follow that wait for their turn. */
  const waiting = new Set<string>();
  /** Sessions with an undo; one of their memories or candidates may still be on its way to the disk. */
  const touched = new Set<string>();
  const line = createLine(options);
  let hasRead = false;
  const followTouched = (): void => {
    for (const sessionID of touched) later(sessionID);
  };
  if (keepsMemories) {
    candidates.onChange(followTouched);
    memories.onChange(() => {
      line.inBackground("read the memories", readAway);
      followTouched();
    });
  }

  return {
    away: own.away,

    onEvent(event) {
      const { kind, sessionID = "" } = undos.read(event) ?? {};
      if (kind === "undo") {
        touched.add(sessionID);
        later(sessionID);
      }
      // The process that received the undo event may have ended before it followed it.
      if (kind === "first" && keepsNotes)
        line.inBackground(`read the notes of ${sessionID}`, async () => {
          if ((await notes.takenBack(sessionID)).length > 0) later(sessionID);
        });
    },

    async follow({ history, sessionID }, isChecked) {
      await line.wait();
      const hasChanged = keepsNotes && (await notes.follow(sessionID, history.messages));
      if (hasChanged) onChange();
      if (!keepsMemories) return;
      const isNew = history.messages.length === 1;
      if (hasChanged) {
        touched.add(sessionID);
        await line.run(() => followMemories(sessionID));
      } else if (!isNew && !isChecked) later(sessionID);
      if (isNew || hasRead) return;
      const waited = await waitAtMost(clock, FIRST_READ_MS, readAway);
      if (waited.kind === "failed") line.complain("read the memories", waited.thrown);
    },
  };

  /** Once for events that come together. */
  function later(sessionID: string, attempts = ATTEMPTS): void {
    if (waiting.has(sessionID) || attempts === 0) return;
    waiting.add(sessionID);
    line.add(`follow an undo in ${sessionID}`, () => followSession(sessionID, attempts));
  }

  function retry(sessionID: string, attempts: number): void {
    clock.after(RETRY_MS, () => later(sessionID, attempts));
  }

  async function followSession(sessionID: string, attempts: number): Promise<void> {
    waiting.delete(sessionID);
    const messages = await host.readMessages(sessionID);
    if (!messages) return retry(sessionID, attempts - 1);
    if (keepsMemories) await undos.mend(sessionID, { ...options, own }, () => retry(sessionID, attempts - 1));
    if (keepsNotes && (await notes.followHost(sessionID, messages))) onChange();
    if (keepsMemories) await followOwn(sessionID, messages);
  }

  async function followMemories(sessionID: string): Promise<void> {
    const messages = await host.readMessages(sessionID);
    if (messages) await followOwn(sessionID, messages);
    else later(sessionID);
  }

  /** Memories first: they follow even if the user's state folder cannot be read. */
  async function followOwn(sessionID: string, messages: readonly Message[]): Promise<void> {
    // Nothing is missing from a list of only what came after a compaction.
    if (isOnlyRest(messages)) return;
    if (await own.follow(sessionID, messages)) onChange();
    await candidates.follow(sessionID, messages);
  }

  async function readAway(): Promise<void> {
    if (await own.refresh()) onChange();
    hasRead = true;
  }
}

/** Undos in line: one is followed after the other. */
function createLine({ background, clock, layer, log }: FollowingOptions) {
  /** All that is in line, and the last of it that runs. */
  let pending: Promise<unknown> = Promise.resolve();
  let last: Promise<unknown> = Promise.resolve();
  const complain = (what: string, thrown: unknown): void =>
    log.error(layer, `cannot ${what}: ${formatError(thrown)}`);

  return {
    complain,
    run,

    inBackground(what: string, action: () => Promise<void>): void {
      void background.add(action).catch((thrown) => complain(what, thrown));
    },

    /** Runs in the background, before other work there. */
    add(what: string, action: () => Promise<void>): void {
      const done = background
        .add(() => run(action), { priority: 1 })
        .catch((thrown) => complain(what, thrown));
      pending = Promise.all([pending, done]);
    },

    /** Until those in line are done, or their time is up. */
    wait: () => waitAtMost(clock, PENDING_MS, () => pending),
  };

  function run(action: () => Promise<void>): Promise<void> {
    const running = last.then(action);
    last = running.catch(() => {});
    return running;
  }
}

/** Reads the host's events about undone turns and removed messages. */
function createHostUndos() {
  /** By session: where the undone part begins; "" if nothing is undone. */
  const undone = new Map<string, string>();
  /** Which files the host has reverted without a repair since: those of the undone turns, or any. */
  const unmended = new Map<string, "listed" | "any">();

  return {
    /** "undo": messages of the session were undone, restored or removed; "first": its first event, with nothing undone. */
    read({ properties, type }: HostEvent): { kind: "first" | "undo"; sessionID: string } | undefined {
      if (type === "message.removed" || type === "message.part.removed") {
        const sessionID = findEventSession(properties);
        return sessionID === undefined ? undefined : { kind: "undo", sessionID };
      }
      const { info } = properties;
      if (type !== "session.updated" || !isRecord(info) || typeof info.id !== "string") return undefined;
      const { id: sessionID, revert } = info;
      const from = isRecord(revert) ? `${revert.messageID} ${revert.partID}` : "";
      const before = undone.get(sessionID);
      undone.set(sessionID, from);
      if (before === undefined && from === "") return { kind: "first", sessionID };
      if (before === from) return undefined;
      unmended.set(sessionID, before ? "any" : "listed");
      return { kind: "undo", sessionID };
    },

    /** Before memories are archived or restored, since the host's undo may have removed their files. Rejects. */
    async mend(
      sessionID: string,
      { host, own }: Pick<LayerContext, "host"> & { own: TakenMemories },
      tryAgain: () => void,
    ): Promise<void> {
      // Taken before the wait, so that a later undo is not cleared with this one.
      const which = unmended.get(sessionID);
      unmended.delete(sessionID);
      if (which === undefined) return;
      try {
        await own.mend(which === "any" ? undefined : await host.listFilesPutBack(sessionID));
      } catch (thrown) {
        // The disk may work again later; any file may still be reverted.
        unmended.set(sessionID, "any");
        tryAgain();
        throw thrown;
      }
    },
  };
}
