/**
 * Removes what the user takes back, by undoing a turn or by removing or rewriting a message.
 *
 *     an event of the host   notes are learned again from what is left, memories are archived or restored
 *     before each request    the same if its messages show an undo, since events are missed while no host runs. Recorded
 *                            texts made of those words are revised: each layer plans its own, then one break goes into
 *                            the savings ledger, then the decisions, then the request
 *
 * Two layers, because the others are called in between. One undo is followed after the other, as an undo and its redo must
 * not be at the same time; a request waits for those that were heard of before it.
 */

import PQueue from "p-queue";
import { formatError } from "../../../src/base/error.js";
import { isRecord } from "../../../src/base/shape.js";
import { estimateTokens } from "../../../src/context/context-size.js";
import type { ContextRequest } from "../../../src/context/request.js";
import { waitAtMost } from "../../../src/io/clock.js";
import { findEventSession, type HostEvent } from "../../../src/io/host.js";
import type { Message } from "../../../src/io/message.js";
import type { Withdrawal } from "../../../src/kernel/hooks.js";
import type { Layer } from "../../../src/kernel/layer.js";
import type { LayerContext } from "../../../src/kernel/layer-context.js";
import { isOnlyRest } from "../../../src/messages/history.js";
import { isStale } from "../../../src/notes/session.js";
import { createTakenMemories } from "./taken-memories.js";

const LAYER = "taken-back";
const LOADED_WITHIN_MS = 250;
const FIRST_READ_MS = 200;
/** How long a request waits for undos that are being followed. */
const PENDING_MS = 1_500;
const ATTEMPTS = 5;
const RETRY_MS = 5_000;

export interface TakenBackOptions extends LayerContext {
  explain(request: ContextRequest): void;
  /** Told what the host still has of a session in which something was taken back. */
  onMessages(sessionID: string, messages: readonly Message[]): void;
}

export function createTakenBack(context: TakenBackOptions): Record<"learns" | "records", Layer> {
  const { clock, decisions, log, notes } = context;
  let version = 0;
  /** By session: the version it was last checked for. */
  const checked = new Map<string, number>();
  const following = createFollowing(context, () => {
    version++;
  });

  return {
    learns: {
      name: LAYER,
      phase: "before",
      withinMs: { takenBack: 2_000 },
      handlers: {
        async takenBack(request) {
          await following.follow(request, checked.has(request.sessionID));
          // Taken before the layers are asked: what changes after that has to be looked through again.
          const lookedAt = version;
          if (checked.get(request.sessionID) === lookedAt) return undefined;
          // Not waited for longer: the next request checks again.
          const days = request.history.days;
          const loaded = await waitAtMost(clock, LOADED_WITHIN_MS, () => decisions.load(days));
          if (loaded.kind === "failed")
            log.error(LAYER, `cannot read decisions: ${formatError(loaded.thrown)}`);
          if (loaded.kind !== "done") return undefined;
          const taken = await notes.takenBack(request.sessionID);
          return {
            isStale: (madeMs) => isStale(taken, madeMs),
            ...{ memories: following.away(), revisions: [], version: lookedAt },
          };
        },
        event: (event) => void following.onEvent(event),
      },
    },
    records: {
      name: `${LAYER}-record`,
      phase: "after",
      handlers: {
        async takenBack(request, withdrawal, signal) {
          if (!withdrawal) return undefined;
          const { isIncomplete, revisions } = withdrawal;
          if (revisions.length > 0) await recordBreak(request, revisions, { ...context, signal });
          if (!isIncomplete) checked.set(request.sessionID, withdrawal.version);
          return undefined;
        },
      },
    },
  };
}

/** Adapts notes, memories and candidates to undone turns. `onChange`: notes or memories have changed. */
function createFollowing(context: TakenBackOptions, onChange: () => void) {
  const { background, candidates, clock, config, host, log, memories, notes, onMessages } = context;
  const keepsNotes = config.sessionMemory.enabled || config.autoCompact.enabled;
  const keepsMemories = config.autoMemory.enabled;
  const own = createTakenMemories(context, (sessionID) => line.retry(sessionID, 1));
  const undos = createUndos(host, own.mend);
  /** Sessions with an undo; one of their memories or candidates may still be on its way to the disk. */
  const touched = new Set<string>();
  const line = createLine(context, followSession);
  let hasRead = false;
  const complain = (thrown: unknown) => log.error(LAYER, `cannot read the memories: ${formatError(thrown)}`);
  if (keepsMemories) {
    candidates.onChange(followTouched);
    memories.onChange(() => {
      void background.add(readAway).catch(complain);
      followTouched();
    });
  }

  return {
    /** Ids of the memories archived because of an undo, as last read. */
    away: own.away,

    onEvent(event: HostEvent): void {
      const sessionID = undos.read(event);
      if (sessionID === undefined) return;
      touched.add(sessionID);
      line.later(sessionID);
    },

    /** Follows undos that the request's messages show. `isChecked`: an earlier request of this session was checked. */
    async follow({ history, sessionID }: ContextRequest, isChecked: boolean): Promise<void> {
      await line.wait();
      const hasChanged = keepsNotes && (await notes.follow(sessionID, history.messages));
      if (hasChanged) onChange();
      if (!keepsMemories) return;
      const isNew = history.messages.length === 1;
      if (hasChanged) {
        touched.add(sessionID);
        await line.follow(sessionID);
      } else if (!isNew && !isChecked) line.later(sessionID);
      if (isNew || hasRead) return;
      const waited = await waitAtMost(clock, FIRST_READ_MS, readAway);
      if (waited.kind === "failed") complain(waited.thrown);
    },
  };

  function followTouched(): void {
    for (const sessionID of touched) line.later(sessionID);
  }

  async function followSession(sessionID: string, attempts: number): Promise<void> {
    const messages = await host.readMessages(sessionID);
    if (!messages) return line.retry(sessionID, attempts - 1);
    onMessages(sessionID, messages);
    if (keepsMemories) await undos.mend(sessionID, () => line.retry(sessionID, attempts - 1));
    if (keepsNotes && (await notes.followHost(sessionID, messages))) onChange();
    // Nothing is missing from a list of only what came after a compaction.
    if (!keepsMemories || isOnlyRest(messages)) return;
    // Memories first: they follow even if the user's state folder cannot be read.
    if (await own.follow(sessionID, messages)) onChange();
    await candidates.follow(sessionID, messages);
  }

  async function readAway(): Promise<void> {
    if (await own.refresh()) onChange();
    hasRead = true;
  }
}

/** What the host's events say of undone turns, and the memory files that its undo has put back. */
function createUndos(
  { listFilesPutBack }: LayerContext["host"],
  mend: (touched?: readonly string[]) => Promise<void>,
) {
  /** By session: where the undone part begins; "" if nothing is undone. */
  const undone = new Map<string, string>();
  /** Which files may have been reverted, by session: those that the host lists, or any. */
  const unmended = new Map<string, "listed" | "any">();

  return {
    /** The session of which messages were undone, restored or removed. */
    read({ properties, type }: HostEvent): string | undefined {
      const { info } = properties;
      if (type === "message.removed" || type === "message.part.removed") return findEventSession(properties);
      if (type !== "session.updated" || !isRecord(info) || typeof info.id !== "string") return undefined;
      const from = isRecord(info.revert) ? `${info.revert.messageID} ${info.revert.partID}` : "";
      const before = undone.get(info.id) ?? "";
      if (before === from) return undefined;
      undone.set(info.id, from);
      unmended.set(info.id, before === "" ? "listed" : "any");
      return info.id;
    },

    /** Before memories are archived or restored, since the host's undo may have removed their files. Rejects. */
    async mend(sessionID: string, tryAgain: () => void): Promise<void> {
      // Taken before the wait, so that a later undo is not cleared with this one.
      const which = unmended.get(sessionID);
      unmended.delete(sessionID);
      if (which === undefined) return;
      try {
        await mend(which === "any" ? undefined : await listFilesPutBack(sessionID));
      } catch (thrown) {
        // The disk may work again later; any file may still be reverted.
        unmended.set(sessionID, "any");
        tryAgain();
        throw thrown;
      }
    },
  };
}

function createLine(
  { background, clock, log }: LayerContext,
  run: (sessionID: string, attempts: number) => Promise<void>,
) {
  const waiting = new Set<string>();
  const line = new PQueue({ concurrency: 1 });

  return {
    later,
    retry: (sessionID: string, attempts: number): void =>
      void clock.after(RETRY_MS, () => later(sessionID, attempts)),
    follow,
    /** Until those in line are done, or their time is up. */
    wait: () => waitAtMost(clock, PENDING_MS, () => line.onIdle()),
  };

  function follow(sessionID: string, attempts = ATTEMPTS): Promise<void> {
    return line.add(() => {
      waiting.delete(sessionID);
      return run(sessionID, attempts);
    });
  }

  /** Once for events that come together. The background is not idle before. */
  function later(sessionID: string, attempts = ATTEMPTS): void {
    if (waiting.has(sessionID) || attempts === 0) return;
    waiting.add(sessionID);
    const done = follow(sessionID, attempts).catch((thrown) =>
      log.error(LAYER, `cannot follow an undo in ${sessionID}: ${formatError(thrown)}`),
    );
    void background.add(() => done);
  }
}

/* Records revisions: one break in the savings ledger, then the decisions. */

type Revisions = Withdrawal["revisions"];

const REASON = "the user took a message back that this was made of";

/** Rejects if it cannot be recorded, or if the signal is aborted before the ledger is written. */
async function recordBreak(
  request: ContextRequest,
  revisions: Revisions,
  { decisions, explain, log, savings, signal }: TakenBackOptions & { signal: AbortSignal },
): Promise<void> {
  const { isCold, sessionID } = request;
  const cacheLost = isCold() ? 0 : countTokensFrom(request, revisions);
  signal.throwIfAborted();
  const broken = { event: "break", reason: REASON, results: revisions.length, cacheLost } as const;
  await savings.recordNow({ session: sessionID, layer: LAYER, ...broken });
  explain(request);
  for (const layer of new Set(revisions.map((one) => one.layer))) {
    const ours = revisions.filter((one) => one.layer === layer).map(({ layer: _, ...one }) => one);
    await decisions.record(sessionID, layer, ours, signal);
  }
  log.info(LAYER, `the prompt cache of ${sessionID} breaks: ${REASON}`);
}

function countTokensFrom(request: ContextRequest, revisions: Revisions): number {
  const { history } = request;
  const from = request.shownFrom();
  const keys = new Set(revisions.map(({ key }) => key));
  const results = history.results(from).find(({ key }) => keys.has(key))?.index ?? history.messages.length;
  const messages = history.messages.findIndex((_, n) => n >= from && keys.has(history.keyOf(n)?.key ?? ""));
  const first = messages === -1 ? results : Math.min(messages, results);
  const shown = request.show();
  return estimateTokens(shown.slice(Math.max(0, shown.length - (history.messages.length - first))));
}
