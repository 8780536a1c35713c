/**
 * Adds memories to the conversation, as recorded texts after the newest message or result that is not yet sent.
 *
 *     the first message of a session      the boot block: rules, blockers, the best other memories
 *     every message of the user           the few memories that match it, and known facts about the issues it names
 *     the newest result                   rules triggered by its command or path; findings about its source
 *     either                              a question about what the user said, where the agent is the judge
 *     after a compaction or a cut         a new boot block
 */

import { type Addition, extend } from "../../src/context/additions.js";
import type { ContextRequest } from "../../src/context/request.js";
import { isSummary } from "../../src/io/message.js";
import type { LayerContext } from "../../src/kernel/layer-context.js";
import { findGoneFiles } from "../../src/memory/gone-files.js";
import type { Memory } from "../../src/memory/memory.js";
import { readOwnTexts } from "../../src/messages/call.js";
import type { Findings } from "./findings/findings.js";
import {
  countMatchBytes,
  findOwnText,
  LAYER,
  planBoot,
  readShown,
  type ShownMemories,
} from "./injection/boot.js";
import { createNamedEntities } from "./injection/current-facts.js";
import {
  createKnownMemories,
  type KnownMemories,
  type KnownMemoriesOptions,
} from "./injection/known-memories.js";
import {
  CALLS_BETWEEN,
  type CallSubject,
  findLineIDs,
  findNewMatches,
  planMatches,
  planTriggered,
  readSubject,
  SESSION_BYTES,
  type TriggerRule,
} from "./injection/line.js";
import type { AgentJudge } from "./judge/agent-judge.js";
import type { Question } from "./judge/agent-question.js";

/** Findings about the session's sources, once loaded. */
type ShownFindings = Pick<Findings, "isGone" | "plan">;

interface ConversationOptions extends KnownMemoriesOptions {
  /** The few memories that certainly match a text, best first. */
  match(text: string): readonly Memory[];
  agentJudge?: AgentJudge | undefined;
}

export function createConversation(context: ConversationOptions) {
  const { agentJudge, clock, config, folders } = context;
  const known = createKnownMemories(context);
  /** By session: the message or result last decided about, so that a repeated request is the same. */
  const decided = new Map<string, string>();
  const beginnings = createBeginnings(known, { clock, config });
  const named = createNamedEntities(context);

  return {
    /** Starts reading the memories from disk for the new message; returns at once. */
    prepare(): void {
      known.prepare();
      agentJudge?.prepare();
      named.prepare();
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

  async function addToMessage(
    request: ContextRequest,
    findings: ShownFindings | undefined,
  ): Promise<Made | undefined> {
    const { find, history, sessionID } = request;
    const key = history.keyOf(history.messages.length - 1);
    if (!key || decided.get(sessionID) === key.key || findOwnText(find(key.key))) return undefined;
    known.prepare();
    await known.wait(isBeginning(request));
    const shown = readShown(request);
    const boot = beginnings.forMessage(request, shown);
    const said = new Set([...shown.ids, ...findLineIDs(boot ?? "")]);
    const matches = await findMatches(context, { request, said, isUnseen: isElsewhere(request, findings) });
    const about = config.recall.enabled ? await named.describe(readAsked(request), shown.text) : undefined;
    const asked = await agentJudge?.plan(request);
    decided.set(sessionID, key.key);
    return addAll(key, [boot, matches, about], asked);
  }

  /** Adds to the newest result, which has not been sent yet. */
  async function addToResult(
    request: ContextRequest,
    findings: ShownFindings | undefined,
  ): Promise<Made | undefined> {
    const { find, history, sessionID } = request;
    const fresh = history.results(history.messages.length - 1);
    const last = fresh.at(-1);
    if (!last || decided.get(sessionID) === last.key || findOwnText(find(last.key))) return undefined;
    decided.set(sessionID, last.key);
    const boot = beginnings.forResult(request);
    const subjects = fresh.flatMap((result) => readSubject(result, folders.project) ?? []);
    const triggered = findTriggered(request, {
      rules: known.rules(),
      subjects,
      said: findLineIDs(boot ?? ""),
      nowMs: clock.now(),
    });
    const said = [boot ?? "", triggered ?? ""].flatMap(findLineIDs);
    const found = findings?.plan(request, { fresh, said, isUnseen: isElsewhere(request, findings) });
    return addAll(last, [boot, triggered, found], await agentJudge?.plan(request));
  }
}

/** The few memories that match the user's words. */
async function findMatches(
  { clock, config, files, findDoubts, folders, match, memories }: ConversationOptions,
  {
    isUnseen,
    request,
    said,
  }: { request: ContextRequest; said: ReadonlySet<string>; isUnseen(memory: Memory): boolean },
): Promise<string | undefined> {
  const asked = readAsked(request);
  if (!config.recall.enabled || asked === "") return undefined;
  const nowMs = clock.now();
  const matched = match(asked).filter(isUnseen);
  const fresh = findNewMatches(matched, { nowMs, shown: said });
  if (fresh.length === 0) return undefined;
  const roomBytes = SESSION_BYTES - countMatchBytes(request);
  const gone = await findGoneFiles({ files, project: folders.project }, fresh);
  const doubts = await findDoubts(fresh);
  const text = planMatches(fresh, { nowMs, roomBytes, gone, doubts });
  memories.noteUse(findLineIDs(text ?? ""));
  return text;
}

/** The rules that these calls trigger. Pure. */
function findTriggered(
  request: ContextRequest,
  {
    nowMs,
    rules,
    said,
    subjects,
  }: {
    nowMs: number;
    rules: readonly TriggerRule[];
    subjects: readonly CallSubject[];
    /** Ids of memories in the boot block after the same result. */
    said: readonly string[];
  },
): string | undefined {
  const { find, history, shownFrom } = request;
  const lately = history.results(shownFrom()).slice(-CALLS_BETWEEN);
  const recent = lately.flatMap(({ key }) => findLineIDs(findOwnText(find(key)) ?? ""));
  const isUnseen = isElsewhere(request);
  const waiting = rules.filter(({ memory }) => isUnseen(memory));
  return planTriggered(waiting, subjects, { nowMs, recent: new Set([...recent, ...said]) });
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
  return {
    behind,
    ...(asked && { asked }),
    ...(texts.length > 0 && { text: texts.join("\n\n") }),
  };
}

/** The user's own words in the newest message. */
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
    /** The block for a message of the user. */
    forMessage: find,

    /** The block for a result: a turn may continue for hours after its beginning was cut, and may be the session's only one. */
    forResult(request: ContextRequest): string | undefined {
      const isDue = isShortened(request) || postponed.has(request.sessionID);
      return isDue ? find(request, readShown(request)) : undefined;
    },
  };

  function find(request: ContextRequest, { hasBoot }: ShownMemories): string | undefined {
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
