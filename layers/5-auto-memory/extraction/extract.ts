/**
 * Extraction: after a turn, what the user said is looked through for what will matter in another session.
 *
 *     cursor → messages since → signals, without a model → wording by a small model, if allowed → gate → store → cursor
 *
 * Without a model or budget, where its answer is not believed, and always where it is a rule or the like of the user's, a
 * signal is saved in the user's own words. The cursor
 * moves when all is written; what comes twice after a crash is known by its source and changes nothing.
 */

import type { Message } from "../../../src/conversation/message.js";
import { readTime } from "../../../src/conversation/own-texts.js";
import { formatError } from "../../../src/error.js";
import { createGate, type FindSimilar } from "../../../src/gate/gate.js";
import type { LayerContext } from "../../../src/layer-context.js";
import { type MemoryDraft, usersTypes } from "../../../src/memory/memory.js";
import type { MemoryStore } from "../../../src/memory/store.js";
import { inSlices } from "../../../src/slices.js";
import { formatTitle } from "../signals/title.js";
import { formatMaterial, parseAnswer, type Worded } from "./extract-answer.js";
import { createCommandWatch } from "./extract-commands.js";
import { findNewest, planUnread, type SaidTurn, type Unread } from "./extract-turns.js";
import { type Cursor, createCursors } from "./extraction-cursor.js";

export interface Extraction {
  /** A user's message has come: from here on the session is read. Returns at once. */
  onTurn(sessionID: string): void;
  /** A text that a command's template put into a message: the user chose it and did not write it. */
  onTemplate(text: string): void;
  /** The session has answered. Reads what is new behind the turn; never rejects. */
  onIdle(sessionID: string): void;
}

export type ExtractionContext = Pick<
  LayerContext,
  | "background"
  | "clock"
  | "config"
  | "family"
  | "files"
  | "folders"
  | "generation"
  | "host"
  | "log"
  | "prompts"
> & {
  instances: Pick<LayerContext["instances"], "living">;
  memories: MemoryStore;
  findSimilar?: FindSimilar;
};

const LAYER = "auto-memory";
const PURPOSE = "memory extraction";
/** What is new is nearly always among so many messages. */
const LAST_MESSAGES = 60;
const ANSWER_CHARACTERS = 12_000;
/** The host dates a message before it tells of it. */
const DATED_BEFORE_MS = 5_000;
const MOST_TEMPLATES = 50;
/** Turns of earlier processes that are read at a start. */
const MOST_LOOKED_BACK = 20;

export function createExtraction(context: ExtractionContext): Extraction {
  const { background, clock, family, files, folders, generation, host, instances, log, memories, prompts } =
    context;
  const cursors = createCursors({ files, folder: folders.extraction, log });
  const gate = createGate(context);
  const commands = createCommandWatch({ ...context, gate });
  const templates = new Set<string>();
  /** Work on one session after the other: two on the same would both find what is new. */
  const running = new Map<string, Promise<void>>();
  /** Sessions in which writing failed: the next attempt makes no model call. */
  const failed = new Set<string>();
  let hasLookedBack = false;

  return {
    onTurn(sessionID) {
      const sinceMs = clock.now() - DATED_BEFORE_MS;
      enqueue(sessionID, () => begin(sessionID, sinceMs));
      if (hasLookedBack) return;
      hasLookedBack = true;
      enqueue(sessionID, lookBack);
    },

    onTemplate(text) {
      templates.add(text.trim());
      const [first] = templates;
      if (templates.size > MOST_TEMPLATES && first !== undefined) templates.delete(first);
    },

    onIdle(sessionID) {
      enqueue(sessionID, () => extract(sessionID));
    },
  };

  function enqueue(sessionID: string, work: () => Promise<void>): void {
    if (!context.config.autoMemory.enabled || host.isOwnSession(sessionID)) return;
    const before = running.get(sessionID);
    const done = background
      .add(() => (before ? before.then(work) : work()))
      .catch((thrown) => {
        failed.add(sessionID);
        log.error(
          LAYER,
          `cannot look for memories in ${sessionID}, tried again later: ${formatError(thrown)}`,
        );
      });
    running.set(sessionID, done);
    void done.finally(() => running.get(sessionID) === done && running.delete(sessionID));
  }

  /** A subagent's words are another agent's. */
  async function begin(sessionID: string, sinceMs: number): Promise<void> {
    const isKnown = (await cursors.read(sessionID)) !== undefined;
    const isChild = !isKnown && (await family.findParent(sessionID)) !== undefined;
    await cursors.begin(sessionID, {
      untilMs: sinceMs,
      callsUntilMs: sinceMs,
      ...(isChild && { isChild }),
    });
  }

  /** Reads the turns that ended with their process: a session that nobody goes back to is never idle again. */
  async function lookBack(): Promise<void> {
    const living = (await instances.living()).flatMap(({ sessions }) => sessions);
    const busy = new Set(living.filter(({ state }) => state === "busy").map(({ id }) => id));
    const left = (await cursors.listOpen()).filter((id) => !busy.has(id) && !running.has(id));
    for (const sessionID of left.slice(-MOST_LOOKED_BACK)) enqueue(sessionID, () => extract(sessionID));
  }

  async function extract(sessionID: string): Promise<void> {
    const cursor = await cursors.read(sessionID);
    if (!cursor || cursor.isChild) return;
    const messages = await readSince(sessionID, cursor);
    if (!messages) return;
    const unread = await look(sessionID, messages, passOver(sessionID, cursor));
    const turns = await dropKnown(unread.turns);
    for (const { draft, saidMs } of await word(sessionID, turns)) {
      const written = await gate.save(draft, saidMs, {
        operation: "extract",
        session: sessionID,
        reason: "the user said it",
      });
      if (written.kind === "refused") log.info(LAYER, `not remembered: ${written.why}`);
      else log.debug(LAYER, `${written.memory.id}: ${written.kind}`);
    }
    await commands.count(sessionID, unread.commands);
    const hasMoved =
      unread.next.untilMs !== cursor.untilMs || unread.next.callsUntilMs !== cursor.callsUntilMs;
    if (hasMoved || cursor.isOpen) await cursors.move(sessionID, unread.next);
    failed.delete(sessionID);
  }

  /** Noted before it is done: a text over which this process ends must not end the next one as well. */
  async function look(sessionID: string, messages: readonly Message[], cursor: Cursor): Promise<Unread> {
    const newestMs = findNewest(messages);
    const isNews = newestMs > Math.min(cursor.untilMs, cursor.callsUntilMs);
    if (isNews) await cursors.attempt(sessionID, newestMs);
    const unread = await inSlices(
      clock,
      planUnread(messages, cursor, (text) => !templates.has(text)),
    );
    if (isNews) await cursors.endAttempt(sessionID);
    return unread;
  }

  /** The cursor behind what was being read when a process ended. */
  function passOver(sessionID: string, cursor: Cursor): Cursor {
    const { attemptMs, callsUntilMs, untilMs } = cursor;
    if (attemptMs === undefined) return cursor;
    const time = new Date(attemptMs).toISOString();
    log.warn(
      LAYER,
      `what was said in ${sessionID} up to ${time} is passed over: it was being read when OpenCode ended, and was not read to its end`,
    );
    return {
      ...cursor,
      untilMs: Math.max(untilMs, attemptMs),
      callsUntilMs: Math.max(callsUntilMs, attemptMs),
    };
  }

  async function readSince(sessionID: string, { untilMs }: Cursor): Promise<readonly Message[] | undefined> {
    const last = await host.readMessages(sessionID, LAST_MESSAGES);
    const first = last?.[0];
    const isWhole = !first || last.length < LAST_MESSAGES || (readTime(first.info) ?? 0) <= untilMs;
    return isWhole ? last : host.readMessages(sessionID);
  }

  /** Without the signals of which there is a memory; one that somebody has put away does not come back. */
  async function dropKnown(turns: readonly SaidTurn[]): Promise<SaidTurn[]> {
    if (turns.every(({ signals }) => signals.length === 0)) return [];
    // What an agent or a repository has put there does not keep the user's word from being kept.
    const own = (await memories.list({ archived: true })).filter(({ isForeign }) => !isForeign);
    const known = new Set(own.map(({ provenance }) => `${provenance.message} ${provenance.evidence}`));
    return turns.map((turn) => ({
      ...turn,
      signals: turn.signals.filter(({ text }) => !known.has(`${turn.messageID} ${text}`)),
    }));
  }

  /** What is to be remembered, in order: worded by a model where that may be called and is believed. */
  async function word(
    sessionID: string,
    turns: readonly SaidTurn[],
  ): Promise<{ draft: MemoryDraft; saidMs: number }[]> {
    const found = turns.flatMap((turn) => turn.signals.map((signal) => ({ signal, turn })));
    if (found.length === 0) return [];
    const signals = found.map(({ signal }) => signal);
    const answer = await ask(sessionID, turns, signals);
    return found.flatMap(({ signal, turn }, place) => {
      if (answer?.ignored.has(place)) return [];
      const worded = answer?.worded.get(place) ?? {
        type: signal.type,
        title: formatTitle(signal.text),
        content: signal.text,
        aliases: [],
        when: [],
      };
      const how = answer?.worded.has(place) ? "model" : "signal";
      return [{ draft: draftOf({ worded, signal, turn, sessionID, how }), saidMs: turn.saidMs }];
    });
  }

  async function ask(
    sessionID: string,
    turns: readonly SaidTurn[],
    signals: readonly SaidTurn["signals"][number][],
  ) {
    if (failed.has(sessionID) || !(await generation.status()).isAllowed) return undefined;
    const task = await prompts.read("memory-extraction");
    const texts = turns.filter((turn) => turn.signals.length > 0).map(({ text }) => text);
    const material = await inSlices(clock, formatMaterial(texts, signals));
    const result = await generation.generate({
      purpose: PURPOSE,
      sessionID,
      prompt: `${task}\n\n${material}\n`,
      maxCharacters: ANSWER_CHARACTERS,
    });
    if (result.kind !== "text") {
      log.debug(LAYER, `the user's words are kept as they are: ${result.why}`);
      return undefined;
    }
    const answer = parseAnswer(result.text, signals);
    if (answer.faults.length > 0)
      log.warn(LAYER, `the model's wording is not used for ${sessionID}: ${answer.faults.join("; ")}`);
    return answer;
  }
}

interface DraftParts {
  worded: Omit<Worded, "evidence">;
  signal: SaidTurn["signals"][number];
  turn: SaidTurn;
  sessionID: string;
  how: "model" | "signal";
}

function draftOf({ how, sessionID, signal, turn, worded }: DraftParts): MemoryDraft {
  if ([worded.type, signal.type].some((type) => usersTypes.has(type)) && how === "model")
    return draftOf({ how: "signal", sessionID, signal, turn, worded: keepWords(worded, signal) });
  const { aliases, content, title, type, when } = worded;
  return {
    type,
    title,
    content,
    aliases,
    when: [...new Set([...signal.when, ...when])],
    // The whole sentence, also where a model has quoted a part of it: it is what the same words are known by.
    provenance: { by: "user", session: sessionID, message: turn.messageID, evidence: signal.text, how },
  };
}

/** What a model may say of a rule of the user's: which kind it is, and by what else it is found. */
function keepWords({ aliases, type }: Omit<Worded, "evidence">, { text }: DraftParts["signal"]) {
  return { type, title: formatTitle(text), content: text, aliases, when: [] };
}
