/**
 * What the user takes back is gone: by undoing a turn, by removing or rewriting a message.
 *
 *     the host tells        notes are learned anew from what is left, memories are put away or brought back
 *     before each request   the same where its messages show it: events are missed while no host runs
 *                           what was said with those words and recorded is said without them: each layer for its own,
 *                           one break in the savings ledger, then the decisions, then the request
 *
 * Two layers, since the others are asked in between.
 */
import { findEventSession, type HostEvent, type Withdrawal } from "../../../src/dispatcher/hooks.js";
import type { Layer } from "../../../src/dispatcher/layer.js";
import { formatError } from "../../../src/error.js";
import type { LayerContext } from "../../../src/layer-context.js";
import { isStale } from "../../../src/notes/taken-back.js";
import { priceLostCache } from "../../../src/record/savings.js";
import { isRecord } from "../../../src/records.js";
import { waitAtMost } from "../../../src/seams/clock.js";
import { findColdReason } from "../../../src/view/cold.js";
import { estimateTokens } from "../../../src/view/context-size.js";
import type { ContextRequest } from "../../../src/view/request.js";
import { createTakenMemories } from "./memories.js";

const LAYER = "taken-back";
const FIRST_READ_MS = 200;
const LOADED_WITHIN_MS = 250;
const ATTEMPTS = 5;
const RETRY_MS = 5_000;
const REASON = "the user took a message back that this was made of";

export interface TakenBackOptions extends LayerContext {
  /** The break of this request is in the ledger. */
  explain(request: ContextRequest): void;
}

export function createTakenBack(context: TakenBackOptions): readonly Layer[] {
  const { background, clock, config, decisions, host, log, memories, notes, savings } = context;
  const keepsNotes = config.sessionMemory.enabled || config.autoCompact.enabled;
  const keepsMemories = config.autoMemory.enabled;
  const own = createTakenMemories({
    ...context,
    onRefused: (sessionID) => void clock.after(RETRY_MS, () => later(sessionID, 1)),
  });
  /** Counts what was taken back; a session is looked through once for each. */
  let version = 0;
  const settled = new Map<string, number>();
  /** By session: from where the host has it undone. */
  const undone = new Map<string, string>();
  /** Sessions whose files the host has put back: those of the undone turns, or any. */
  const unmended = new Map<string, "listed" | "any">();
  const waiting = new Set<string>();
  let isRead = false;
  let isReading = false;
  /** Sessions in which something was: a memory of theirs may still be on its way to the disk. */
  const touched = new Set<string>();
  if (keepsMemories)
    memories.onChange(() => {
      readLater();
      for (const sessionID of touched) later(sessionID);
    });

  return [
    {
      name: LAYER,
      cost: 0.1,
      withinMs: { takenBack: 2_000 },
      handlers: {
        async takenBack(request) {
          await look(request);
          if (settled.get(request.sessionID) === version) return undefined;
          // The view waits for a slow disk; here the next request asks again.
          const days = request.history.days;
          const loaded = await waitAtMost(clock, LOADED_WITHIN_MS, () => decisions.load(days));
          if (loaded.kind === "failed")
            log.error(LAYER, `cannot read what was decided: ${formatError(loaded.thrown)}`);
          if (loaded.kind !== "done") return undefined;
          const taken = await notes.takenBack(request.sessionID);
          const none: Withdrawal["revisions"] = [];
          return { isStale: (madeMs) => isStale(taken, madeMs), memories: own.away(), revisions: none };
        },
        event(event) {
          hear(event);
          return undefined;
        },
      },
    },
    {
      name: `${LAYER}-record`,
      cost: Number.MAX_SAFE_INTEGER - 1,
      handlers: {
        async takenBack(request, withdrawal, signal) {
          if (!withdrawal) return undefined;
          const lookedAt = version;
          if (withdrawal.revisions.length > 0) await record(request, withdrawal, signal);
          settled.set(request.sessionID, lookedAt);
          return undefined;
        },
      },
    },
  ];

  async function look({ history, sessionID }: ContextRequest): Promise<void> {
    const hasChanged = keepsNotes && (await notes.follow(sessionID, history.messages));
    if (hasChanged) version++;
    if (!keepsMemories) return;
    const isNew = history.messages.length === 1;
    if (hasChanged) touched.add(sessionID);
    if (hasChanged) await followMemories(sessionID);
    else if (!isNew && !settled.has(sessionID)) later(sessionID);
    if (isRead || isNew) return;
    const waited = await waitAtMost(clock, FIRST_READ_MS, read);
    if (waited.kind === "failed") tellUnread(waited.thrown);
  }

  function hear({ properties, type }: HostEvent): void {
    const { info } = properties;
    if (type === "session.updated" && isRecord(info) && typeof info.id === "string") {
      const { id, revert } = info;
      const from = isRecord(revert) ? `${revert.messageID} ${revert.partID}` : "";
      const before = undone.get(id);
      undone.set(id, from);
      if (before === undefined && from === "") checkLater(id);
      else if (before !== from) {
        unmended.set(id, before ? "any" : "listed");
        again(id);
      }
    }
    if (type !== "message.removed" && type !== "message.part.removed") return;
    const sessionID = findEventSession(properties);
    if (sessionID !== undefined) again(sessionID);
  }

  function again(sessionID: string): void {
    touched.add(sessionID);
    later(sessionID);
  }

  /** The process that was told to undo may have ended before it was told to do it again. */
  function checkLater(sessionID: string): void {
    void background
      .add(async () => {
        if (keepsNotes && (await notes.takenBack(sessionID)).length > 0) later(sessionID);
      })
      .catch((thrown) => log.error(LAYER, `cannot read the notes of ${sessionID}: ${formatError(thrown)}`));
  }

  /** Once for what comes together, behind the turn; again where the host does not say in time what it has. */
  function later(sessionID: string, attempts = ATTEMPTS): void {
    if (waiting.has(sessionID) || attempts === 0) return;
    waiting.add(sessionID);
    void background
      .add(async () => {
        waiting.delete(sessionID);
        const messages = await host.readMessages(sessionID);
        if (!messages) {
          clock.after(RETRY_MS, () => later(sessionID, attempts - 1));
          return;
        }
        await mend(sessionID, attempts);
        if (keepsNotes && (await notes.followHost(sessionID, messages))) version++;
        if (keepsMemories && (await own.follow(sessionID, messages))) version++;
      })
      .catch((thrown) => log.error(LAYER, `what was taken back in ${sessionID}: ${formatError(thrown)}`));
  }

  /** Before anything is put away or brought back: the host may have removed the very file. */
  async function mend(sessionID: string, attempts: number): Promise<void> {
    const which = unmended.get(sessionID);
    if (which === undefined || !keepsMemories) return;
    // Before the wait, so that an undo that comes meanwhile is not forgotten with this one.
    unmended.delete(sessionID);
    try {
      await own.mend(which === "any" ? undefined : await host.listFilesPutBack(sessionID));
    } catch (thrown) {
      // A disk that failed now may be written later.
      unmended.set(sessionID, "any");
      clock.after(RETRY_MS, () => later(sessionID, attempts - 1));
      throw thrown;
    }
  }

  async function followMemories(sessionID: string): Promise<void> {
    const messages = await host.readMessages(sessionID);
    if (!messages) later(sessionID);
    else if (await own.follow(sessionID, messages)) version++;
  }

  function readLater(): void {
    if (isReading) return;
    isReading = true;
    void background
      .add(async () => {
        isReading = false;
        await read();
      })
      .catch(tellUnread);
  }

  function tellUnread(thrown: unknown): void {
    log.error(LAYER, `cannot read the memories: ${formatError(thrown)}`);
  }

  async function read(): Promise<void> {
    if (await own.refresh()) version++;
    isRead = true;
  }

  async function record(
    request: ContextRequest,
    { revisions }: Withdrawal,
    signal: AbortSignal,
  ): Promise<void> {
    const { sessionID } = request;
    const cacheLost = countLost(request, revisions);
    signal.throwIfAborted();
    await savings.recordNow({
      session: sessionID,
      layer: LAYER,
      event: "break",
      reason: REASON,
      results: revisions.length,
      cacheLost,
      net: Math.round(priceLostCache(cacheLost)),
    });
    context.explain(request);
    for (const layer of new Set(revisions.map((one) => one.layer))) {
      const ours = revisions.filter((one) => one.layer === layer).map(({ layer: _, ...one }) => one);
      await decisions.record(sessionID, layer, ours, signal);
    }
    log.info(LAYER, `the prompt cache of ${sessionID} breaks: ${REASON}`);
  }

  /** What was sent from the first of them on. */
  function countLost(request: ContextRequest, revisions: Withdrawal["revisions"]): number {
    const { history, model } = request;
    if (findColdReason(history, model, clock.now(), config.microCompact) !== undefined) return 0;
    const from = request.shownFrom();
    const keys = new Set(revisions.map(({ key }) => key));
    const results = history.results(from).find(({ key }) => keys.has(key))?.index ?? history.messages.length;
    const messages = history.messages.findIndex((_, n) => n >= from && keys.has(history.keyOf(n)?.key ?? ""));
    const first = messages === -1 ? results : Math.min(messages, results);
    const shown = request.show();
    return estimateTokens(shown.slice(Math.max(0, shown.length - (history.messages.length - first))));
  }
}
