/**
 * Adds memories to the conversation, as recorded texts after the newest message or result that is not yet sent.
 *
 *     the first message of a session      the boot block: rules, blockers, the best other memories
 *     every message of the user           the few memories that match it, and known facts about the issues it names
 *     the newest result                   rules triggered by its command or path; findings about its source
 *     either                              a question about what the user said, where the agent is the judge
 *     after a compaction or a cut         a new boot block
 */

import { type Addition, extend, findExtended } from "../../src/context/additions.js";
import type { ContextRequest } from "../../src/context/request.js";
import { waitAtMost } from "../../src/io/clock.js";
import { isSummary } from "../../src/io/message.js";
import type { LayerContext } from "../../src/kernel/layer-context.js";
import { findGoneFiles } from "../../src/memory/gone-files.js";
import type { Memory } from "../../src/memory/memory.js";
import { readOwnTexts } from "../../src/messages/call.js";
import type { Findings } from "./findings/findings.js";
import { countMatchBytes, LAYER, planBoot, readShown } from "./injection/boot.js";
import {
  createKnownMemories,
  type KnownMemories,
  type KnownMemoriesOptions,
} from "./injection/known-memories.js";
import {
  CALLS_BETWEEN,
  findLineIDs,
  findNewMatches,
  planMatches,
  planTriggered,
  readSubject,
  SESSION_BYTES,
} from "./injection/line.js";
import type { AgentJudge } from "./judge/agent-judge.js";
import type { Question } from "./judge/agent-question.js";

type ShownFindings = Pick<Findings, "isGone" | "plan">;

interface ConversationOptions extends KnownMemoriesOptions {
  agentJudge?: AgentJudge | undefined;
}

export function createConversation(context: ConversationOptions) {
  const { agentJudge, clock, folders } = context;
  const known = createKnownMemories(context);
  /** By session: the message or result last decided about, so that a repeated request is the same. */
  const decided = new Map<string, string>();
  const beginnings = createBeginnings(known, context);
  /** Have the memories been read since the last message? */
  let isPrepared = false;

  return {
    /** Starts reading the memories from disk for the new message; returns at once. */
    prepare(): void {
      known.prepare();
      isPrepared = true;
      agentJudge?.prepare();
    },

    /** Adds memories to the request, and returns whether there are any. Rejects if they cannot be recorded. */
    async speak(request: ContextRequest, signal: AbortSignal, findings?: ShownFindings): Promise<boolean> {
      const { history, sessionID } = request;
      const newest = history.messages.at(-1);
      const isMessage = newest?.info.role === "user";
      const made = isMessage ? await addToMessage(request, findings) : await addToResult(request, findings);
      if (!made) return false;
      const { asked, behind, text } = made;
      if (text !== undefined) {
        await extend(context, { sessionID, layer: LAYER, additions: [{ behind, text }], signal });
        known.noteShown(text);
      }
      if (asked) agentJudge?.noteAsked(sessionID, asked.letters);
      return text !== undefined;
    },
  };

  async function addToMessage(request: ContextRequest, findings?: ShownFindings): Promise<Made | undefined> {
    const { find, history, sessionID } = request;
    const key = history.keyOf(history.messages.length - 1);
    if (!key || decided.get(sessionID) === key.key || findExtended(find(key.key), LAYER)) return undefined;
    const meant = findMeant(context, readAsked(request));
    if (!isPrepared) known.prepare();
    isPrepared = false;
    const [asked] = await Promise.all([agentJudge?.plan(request), known.wait(isBeginning(request))]);
    const { hasBoot, ids } = readShown(request);
    const boot = beginnings.forMessage(request, hasBoot);
    const said = new Set([...ids, ...findLineIDs(boot ?? "")]);
    const isNew = (memory: Memory): boolean => !said.has(memory.id) && isUnseen(memory);
    const isUnseen = isElsewhere(request, findings);
    const matches = await findMatches(context, request, await meant, isNew);
    decided.set(sessionID, key.key);
    return addAll(key, [boot, matches], asked);
  }

  async function addToResult(request: ContextRequest, findings?: ShownFindings): Promise<Made | undefined> {
    const { find, history, sessionID } = request;
    const fresh = history.results(history.messages.length - 1);
    const last = fresh.at(-1);
    if (!last || decided.get(sessionID) === last.key || findExtended(find(last.key), LAYER)) return undefined;
    decided.set(sessionID, last.key);
    const boot = beginnings.forResult(request);
    const subjects = fresh.flatMap((result) => readSubject(result, folders.project) ?? []);
    const recent = new Set([...findLately(request), ...findLineIDs(boot ?? "")]);
    const isUnseen = isElsewhere(request);
    const waiting = known.rules().filter(({ memory }) => isUnseen(memory));
    const triggered = planTriggered(waiting, subjects, { nowMs: clock.now(), recent });
    const said = [boot ?? "", triggered ?? ""].flatMap(findLineIDs);
    const found = findings?.plan(request, { fresh, said, isUnseen: isElsewhere(request, findings) });
    return addAll(last, [boot, triggered, found], await agentJudge?.plan(request));
  }
}

/**
 * How long a message waits for the user's embedding endpoint, while its memories are read: an endpoint on this machine
 * answers in 50 ms, one far away in 200. What comes later is kept for the same words.
 */
export const MEANT_WITHIN_MS = 300;

/** The memories that the user's words mean, by the endpoint; none without one, or if it is late. Never rejects. */
async function findMeant({ clock, config, search }: ConversationOptions, asked: string) {
  if (!config.recall.enabled || config.recall.embeddings.url === undefined || asked === "") return [];
  const waited = await waitAtMost(clock, MEANT_WITHIN_MS, () => search.matchByMeaning(asked));
  return waited.kind === "done" ? waited.value : [];
}

async function findMatches(
  { clock, config, files, folders, memories, search }: ConversationOptions,
  request: ContextRequest,
  meant: readonly Memory[],
  isNew: (memory: Memory) => boolean,
): Promise<string | undefined> {
  const asked = readAsked(request);
  if (!config.recall.enabled || asked === "") return undefined;
  const nowMs = clock.now();
  const byWords = search.match(asked);
  const ids = new Set(byWords.map(({ id }) => id));
  const known = new Set(meant.length > 0 ? memories.known() : []);
  const matched = [...byWords, ...meant.filter((one) => known.has(one) && !ids.has(one.id))];
  const fresh = findNewMatches(matched.filter(isNew), nowMs);
  if (fresh.length === 0) return undefined;
  const roomBytes = SESSION_BYTES - countMatchBytes(request);
  const gone = await findGoneFiles({ files, project: folders.project }, fresh);
  const text = planMatches(fresh, { nowMs, roomBytes, gone });
  memories.noteUse(findLineIDs(text ?? ""));
  return text;
}

/** Ids of memories shown with the last results. */
function findLately({ find, history, shownFrom }: ContextRequest): string[] {
  const lately = history.results(shownFrom()).slice(-CALLS_BETWEEN);
  return lately.flatMap(({ key }) => findLineIDs(findExtended(find(key), LAYER) ?? ""));
}

interface Made extends Partial<Pick<Addition, "text">>, Pick<Addition, "behind"> {
  asked?: Question;
}

function addAll(
  behind: Addition["behind"],
  given: readonly (string | undefined)[],
  asked: Question | undefined,
): Made | undefined {
  const texts = [...given, asked?.text].filter((text) => text !== undefined);
  if (texts.length === 0 && !asked) return undefined;
  return { behind, ...(asked && { asked }), ...(texts.length > 0 && { text: texts.join("\n\n") }) };
}

function readAsked({ history }: ContextRequest): string {
  return readOwnTexts(history.messages.at(-1)?.parts ?? []).join("\n");
}

/** Is the memory not from messages that this session still shows? Cut and cleared ones are no longer shown. */
function isElsewhere(request: ContextRequest, findings?: ShownFindings): (memory: Memory) => boolean {
  const isShort = isShortened(request);
  return (memory) =>
    isShort ||
    memory.provenance.session !== request.sessionID ||
    (findings?.isGone(request, memory) ?? false);
}

/* Decides when a session gets its boot block: at its beginning, and again when the block is no longer shown. */

/** Relative to the project, where the agent works. */
const INDEX_PATH = ".opencode/memory/MEMORY.md";

function createBeginnings(known: KnownMemories, { clock, config }: Pick<LayerContext, "clock" | "config">) {
  /** Sessions that get the block once the memories are read. */
  const postponed = new Set<string>();
  /** Sessions that have had the block; they get it again if its message is deleted. */
  const begun = new Set<string>();

  return {
    forMessage: find,

    /** The block for a result: a turn may continue for hours after its beginning was cut, and may be the session's only one. */
    forResult(request: ContextRequest): string | undefined {
      const isDue = isShortened(request) || postponed.has(request.sessionID);
      return isDue ? find(request, readShown(request).hasBoot) : undefined;
    },
  };

  function find(request: ContextRequest, hasBoot: boolean): string | undefined {
    const { sessionID } = request;
    if (hasBoot) begun.add(sessionID);
    const isDue =
      isBeginning(request) || postponed.has(sessionID) || begun.has(sessionID) || isShortened(request);
    if (hasBoot || !isDue || !config.boot.enabled) return undefined;
    if (!known.isRead()) {
      postponed.add(sessionID);
      return undefined;
    }
    postponed.delete(sessionID);
    return planBoot(known.order(), {
      ...{ nowMs: clock.now(), indexPath: INDEX_PATH, shows: config.boot },
      ...known.notices(sessionID),
    });
  }
}

/** Is the newest message the user's first one? */
function isBeginning({ history: { messages } }: ContextRequest): boolean {
  return messages.findIndex(({ info }) => info.role === "user") === messages.length - 1;
}

/** Is the beginning of the session no longer shown? */
function isShortened({ history, shownFrom }: ContextRequest): boolean {
  return shownFrom() > 0 || history.messages.some(isSummary);
}
