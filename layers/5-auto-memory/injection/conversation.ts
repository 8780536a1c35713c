/**
 * Adds memories to the conversation, as recorded texts after the newest message or result that is not yet sent.
 *
 *     the first message of a session      the boot block: rules, blockers, the best other memories
 *     every message of the user           the few memories that match it, and what is known of the issues it names
 *     the newest result                   rules triggered by its command or path
 *     after a compaction or a cut         a new boot block
 */
import { readOwnTexts } from "../../../src/conversation/own-texts.js";
import type { LayerContext } from "../../../src/layer-context.js";
import { findGoneFiles } from "../../../src/memory/gone-files.js";
import type { Memory } from "../../../src/memory/memory.js";
import { type Addition, extend } from "../../../src/view/extend.js";
import type { ContextRequest } from "../../../src/view/request.js";
import { createBeginnings, isBeginning, isShortened } from "./beginnings.js";
import { createKnownMemories, type KnownMemoriesOptions } from "./known-memories.js";
import { findLineIDs } from "./line.js";
import { findNewMatches, planMatches, SESSION_BYTES } from "./matches.js";
import { createNamedEntities } from "./named-entities.js";
import type { CallSubject } from "./pattern.js";
import { CALLS_BETWEEN, planTriggered, readSubject } from "./rule-triggers.js";
import { countMatchBytes, findOwnText, LAYER, readShown } from "./shown.js";

export interface Conversation {
  /** Starts reading the memories from disk for the new message; returns at once. */
  prepare(): void;
  /** Adds memories to the request, and returns whether there are any. Rejects if they cannot be recorded. */
  speak(request: ContextRequest, signal: AbortSignal): Promise<boolean>;
}

export interface ConversationOptions extends LayerContext, KnownMemoriesOptions {
  /** The few memories that certainly match a text, best first. */
  match(text: string): readonly Memory[];
}

export function createConversation(context: ConversationOptions): Conversation {
  const { clock, config, files, folders, memories, match } = context;
  const known = createKnownMemories(context);
  /** By session: the message or result last decided about, so that a repeated request is the same. */
  const decided = new Map<string, string>();
  const beginnings = createBeginnings(known, clock);
  const named = createNamedEntities(context);

  return {
    prepare() {
      known.prepare();
      named.prepare();
    },

    async speak(request, signal) {
      const { history, sessionID } = request;
      const newest = history.messages.at(-1);
      const made = newest?.info.role === "user" ? await addToMessage(request) : addToResult(request);
      if (!made) return false;
      await extend(context, { sessionID, layer: LAYER, additions: [made], signal });
      known.noteShown(made.text);
      return true;
    },
  };

  async function addToMessage(request: ContextRequest): Promise<Addition | undefined> {
    const { find, history, sessionID } = request;
    const key = history.keyOf(history.messages.length - 1);
    if (!key || decided.get(sessionID) === key.key || findOwnText(find(key.key))) return undefined;
    known.prepare();
    await known.wait(isBeginning(request));
    const shown = readShown(request);
    const boot = beginnings.forMessage(request, shown);
    const matches = await findMatches(request, new Set([...shown.ids, ...findLineIDs(boot ?? "")]));
    const about = config.recall.enabled ? await named.describe(readAsked(request), shown.text) : undefined;
    decided.set(sessionID, key.key);
    const texts = [boot, matches, about].filter((text) => text !== undefined);
    return texts.length === 0 ? undefined : { behind: key, text: texts.join("\n\n") };
  }

  async function findMatches(
    request: ContextRequest,
    shown: ReadonlySet<string>,
  ): Promise<string | undefined> {
    const asked = readAsked(request);
    if (!config.recall.enabled || asked === "") return undefined;
    const nowMs = clock.now();
    const matched = match(asked).filter(isElsewhere(request));
    const fresh = findNewMatches(matched, { nowMs, shown });
    if (fresh.length === 0) return undefined;
    const roomBytes = SESSION_BYTES - countMatchBytes(request);
    const gone = await findGoneFiles({ files, project: folders.project }, fresh);
    const text = planMatches(fresh, { nowMs, roomBytes, gone });
    memories.noteUse(findLineIDs(text ?? ""));
    return text;
  }

  /** Adds to the newest result, which has not been sent yet. */
  function addToResult(request: ContextRequest): Addition | undefined {
    const { find, history, sessionID } = request;
    const fresh = history.results(history.messages.length - 1);
    const last = fresh.at(-1);
    if (!last || decided.get(sessionID) === last.key || findOwnText(find(last.key))) return undefined;
    decided.set(sessionID, last.key);
    const boot = beginnings.forResult(request);
    const subjects = fresh.flatMap((result) => readSubject(result, folders.project) ?? []);
    const triggered =
      subjects.length > 0 ? findTriggered(request, subjects, findLineIDs(boot ?? "")) : undefined;
    const texts = [boot, triggered].filter((text) => text !== undefined);
    return texts.length === 0 ? undefined : { behind: last, text: texts.join("\n\n") };
  }

  function findTriggered(
    request: ContextRequest,
    subjects: readonly CallSubject[],
    said: readonly string[],
  ): string | undefined {
    const rules = known.rules();
    if (rules.length === 0) return undefined;
    const { find, history, shownFrom } = request;
    const lately = history.results(shownFrom()).slice(-CALLS_BETWEEN);
    const recent = lately.flatMap(({ key }) => findLineIDs(findOwnText(find(key)) ?? ""));
    const isUnseen = isElsewhere(request);
    const waiting = rules.filter(({ memory }) => isUnseen(memory));
    return planTriggered(waiting, subjects, { nowMs: clock.now(), recent: new Set([...recent, ...said]) });
  }
}

/** The user's own words in the newest message. */
function readAsked({ history }: ContextRequest): string {
  return readOwnTexts(history.messages.at(-1)?.parts ?? []).join("\n");
}

/** Is the memory not from this session's own messages? Those are still shown, unless the beginning was cut. */
function isElsewhere(request: ContextRequest): (memory: Memory) => boolean {
  const isShort = isShortened(request);
  return ({ provenance }) => isShort || provenance.session !== request.sessionID;
}
