/**
 * Puts memory into the conversation, each time as a recorded text behind what has not been sent yet.
 *
 *     the first message of a session      what it begins with: rules, blockers, the best of the rest
 *     every message of the user's         the few memories that fit it
 *     the newest result                   rules that wait for its command or path
 *     after a compaction or a cut         what the session began with again, as it stands now
 */

import { isSummary } from "../../../src/conversation/history.js";
import { readOwnTexts } from "../../../src/conversation/own-texts.js";
import { formatError } from "../../../src/error.js";
import type { LayerContext } from "../../../src/layer-context.js";
import { findGoneFiles } from "../../../src/memory/gone-files.js";
import type { Memory } from "../../../src/memory/memory.js";
import { rankMemories } from "../../../src/memory/rank.js";
import { waitAtMost } from "../../../src/seams/clock.js";
import { type Addition, extend } from "../../../src/view/extend.js";
import type { ContextRequest } from "../../../src/view/request.js";
import type { AgentChanges } from "../changed-by-agent.js";
import { type Conflicts, formatOpenConflicts } from "../conflicts.js";
import { planBoot } from "./boot.js";
import { findLineIDs } from "./line.js";
import { findTellable, planMatches, SESSION_BYTES } from "./matches.js";
import { CALLS_BETWEEN, findWaitingRules, planMoment, readSubject, type WaitingRule } from "./moments.js";
import type { CallSubject } from "./pattern.js";
import { countMatchBytes, findOwnText, LAYER, readTold, type Told } from "./told.js";

export interface Conversation {
  /** Reads what is on disk, so that the message that has just come finds it. Never waited for. */
  prepare(): void;
  /** Decides what the request is to be told; whether there is something. Rejects when it cannot be recorded. */
  speak(request: ContextRequest, signal: AbortSignal): Promise<boolean>;
}

export interface ConversationOptions extends LayerContext {
  /** The few memories that surely have to do with a text, best first. */
  match(text: string): readonly Memory[];
  conflicts: Pick<Conflicts, "open" | "see">;
  changes: Pick<AgentChanges, "read" | "told">;
}

/** How long a message waits for what has changed on disk since it was last read; without it, as it was known. */
const READ_WITHIN_MS = 30;
/** A session that begins is told for good how things stand; and the first look of a process also asks git whose they are. */
export const FIRST_READ_MS = 500;
/** Whether a file that was changed by hand is the user's is asked of git, once for each change. */
const DECIDED_WITHIN_MS = 300;
/** As seen from the project, where the agent works. */
const INDEX_PATH = ".opencode/memory/MEMORY.md";

export function createConversation(context: ConversationOptions): Conversation {
  const { background, changes, clock, config, conflicts, files, folders, log, memories, match } = context;
  /** By session: the message or result last decided about, so that a request that is sent again is the same. */
  const decided = new Map<string, string>();
  /** Sessions that are told what they begin with once it is known. */
  const postponed = new Set<string>();
  /** Sessions that were shown what they begin with: it is said again when that message is deleted. */
  const begun = new Set<string>();
  let reading: Promise<unknown> | undefined;
  let isRead = false;
  let openConflicts: string | undefined;
  /** What the agent has changed of the user's, until a session is told. */
  let changed: string | undefined;
  let rules: readonly WaitingRule[] | undefined;
  let ranked: readonly Memory[] | undefined;
  let isOrdering = false;
  memories.onChange(() => {
    rules = undefined;
    ranked = undefined;
    if (isOrdering) return;
    isOrdering = true;
    void inBackground("order the memories", async () => {
      isOrdering = false;
      order();
    });
  });

  return {
    prepare,

    async speak(request, signal) {
      const { history, sessionID } = request;
      const newest = history.messages.at(-1);
      const made = newest?.info.role === "user" ? await addToMessage(request) : addToResult(request);
      if (!made) return false;
      await extend(context, { sessionID, layer: LAYER, additions: [made], signal });
      noteShown(made);
      return true;
    },
  };

  async function addToMessage(request: ContextRequest): Promise<Addition | undefined> {
    const { find, history, sessionID } = request;
    const key = history.keyOf(history.messages.length - 1);
    if (!key || decided.get(sessionID) === key.key || findOwnText(find(key.key))) return undefined;
    prepare();
    const withinMs = !isRead || isBeginning(request) ? FIRST_READ_MS : READ_WITHIN_MS;
    await waitAtMost(clock, withinMs, () => reading);
    if (memories.isDeciding()) await waitAtMost(clock, DECIDED_WITHIN_MS, () => reading);
    const told = readTold(request);
    const boot = findBoot(request, told);
    const matches = await findMatches(request, new Set([...told.ids, ...findLineIDs(boot ?? "")]));
    decided.set(sessionID, key.key);
    const texts = [boot, matches].filter((text) => text !== undefined);
    return texts.length === 0 ? undefined : { behind: key, text: texts.join("\n\n") };
  }

  /** What the session begins with: at its beginning, and again when that is not shown any more. */
  function findBoot(request: ContextRequest, told: Told): string | undefined {
    const { sessionID } = request;
    if (told.hasBoot) begun.add(sessionID);
    const isDue =
      isBeginning(request) || postponed.has(sessionID) || begun.has(sessionID) || isShortened(request);
    if (told.hasBoot || !isDue) return undefined;
    if (!isRead) {
      postponed.add(sessionID);
      return undefined;
    }
    postponed.delete(sessionID);
    const nowMs = clock.now();
    return planBoot(order(), { nowMs, indexPath: INDEX_PATH, conflicts: openConflicts, changed });
  }

  async function findMatches(
    request: ContextRequest,
    told: ReadonlySet<string>,
  ): Promise<string | undefined> {
    const asked = readOwnTexts(request.history.messages.at(-1)?.parts ?? []).join("\n");
    if (!config.recall.enabled || asked === "") return undefined;
    const nowMs = clock.now();
    const matched = match(asked).filter(isElsewhere(request));
    const tellable = findTellable(matched, { nowMs, told });
    if (tellable.length === 0) return undefined;
    const roomBytes = SESSION_BYTES - countMatchBytes(request);
    const gone = await findGoneFiles({ files, project: folders.project }, tellable);
    const text = planMatches(tellable, { nowMs, roomBytes, gone });
    memories.noteUse(findLineIDs(text ?? ""));
    return text;
  }

  /** Behind the newest result, which has not been sent yet. */
  function addToResult(request: ContextRequest): Addition | undefined {
    const { find, history, sessionID } = request;
    const fresh = history.results(history.messages.length - 1);
    const last = fresh.at(-1);
    if (!last || decided.get(sessionID) === last.key || findOwnText(find(last.key))) return undefined;
    decided.set(sessionID, last.key);
    // A turn may go on for hours after its beginning was cut off, and may be the only one of its session.
    const isShort = isShortened(request);
    const isDue = isShort || postponed.has(sessionID);
    const boot = isDue ? findBoot(request, readTold(request)) : undefined;
    const subjects = fresh.flatMap((result) => readSubject(result, folders.project) ?? []);
    const moment = subjects.length > 0 ? findMoment(request, subjects, findLineIDs(boot ?? "")) : undefined;
    const texts = [boot, moment].filter((text) => text !== undefined);
    return texts.length === 0 ? undefined : { behind: last, text: texts.join("\n\n") };
  }

  function findMoment(
    request: ContextRequest,
    subjects: readonly CallSubject[],
    said: readonly string[],
  ): string | undefined {
    rules ??= findWaitingRules(memories.known());
    if (rules.length === 0) return undefined;
    const { find, history, shownFrom } = request;
    const lately = history.results(shownFrom()).slice(-CALLS_BETWEEN);
    const recent = lately.flatMap(({ key }) => findLineIDs(findOwnText(find(key)) ?? ""));
    const isUnseen = isElsewhere(request);
    const waiting = rules.filter(({ memory }) => isUnseen(memory));
    return planMoment(waiting, subjects, { nowMs: clock.now(), recent: new Set([...recent, ...said]) });
  }

  /** What the agent was told of may be written over by it. */
  function noteShown({ text }: Addition): void {
    if (changed !== undefined && text.includes(changed)) {
      changed = undefined;
      void inBackground("note what was told", changes.told);
    }
    const ids = new Set(findLineIDs(text));
    conflicts.see(memories.known().filter(({ id }) => ids.has(id)));
  }

  /** Reads what is on disk, once at a time. */
  function prepare(): void {
    reading ??= inBackground("read the memories", async () => {
      await memories.list();
      openConflicts = formatOpenConflicts(await conflicts.open());
      changed = await changes.read();
      isRead = true;
      order();
    }).finally(() => {
      reading = undefined;
    });
  }

  /** The best first. Ten thousand take longer than a turn should wait, so it is done when something has changed. */
  function order(): readonly Memory[] {
    ranked ??= rankMemories(memories.known(), memories.useOf, clock.now()).flatMap((part) => part.memories);
    return ranked;
  }

  async function inBackground(what: string, work: () => Promise<void>): Promise<void> {
    await background.add(work).catch((thrown) => log.error(LAYER, `cannot ${what}: ${formatError(thrown)}`));
  }
}

/** Is the newest message the first one of the user's? */
function isBeginning({ history: { messages } }: ContextRequest): boolean {
  return messages.findIndex(({ info }) => info.role === "user") === messages.length - 1;
}

/** Is the beginning of the session not shown any more? */
function isShortened({ history, shownFrom }: ContextRequest): boolean {
  return shownFrom() > 0 || history.messages.some(isSummary);
}

/** What was said in this session stands in it, unless its beginning is gone. */
function isElsewhere(request: ContextRequest): (memory: Memory) => boolean {
  const isShort = isShortened(request);
  return ({ provenance }) => isShort || provenance.session !== request.sessionID;
}
