/**
 * Tells a session about failed calls.
 *
 *     a message of the user         earlier open failures, with what worked
 *     a call fails again            what resolved it, after its result
 *     a call is about to run        a refusal with `errors.onRepeat: "refuse"`, once per session
 *
 * Loaded with a process's first request.
 */
import { readText } from "../../src/conversation/call.js";
import { readOwnTexts } from "../../src/conversation/own-texts.js";
import { refuse, type ToolArguments, type ToolCall } from "../../src/dispatcher/hooks.js";
import type { LayerContext } from "../../src/layer-context.js";
import { redactSecrets } from "../../src/secrets/secrets.js";
import { type Addition, extend } from "../../src/view/extend.js";
import { forget } from "../../src/view/forgotten.js";
import { isExtendedBy } from "../../src/view/known-decisions.js";
import type { ContextRequest } from "../../src/view/request.js";
import { createDoings } from "./doings.js";
import { createFailures, type Repetition } from "./failures.js";
import { hashInput } from "./fingerprint.js";
import { planForewarning, TOLD_FOR_MS } from "./forewarning.js";
import { formatHint } from "./hint.js";
import { planHints } from "./plan.js";
import { planRefusal } from "./refusal.js";

export interface Hints {
  /** Learns from the request, and returns whether something was added or removed. Rejects if it cannot be recorded. */
  answer(request: ContextRequest, signal: AbortSignal): Promise<boolean>;
  /** The refusal of a call known to fail; `undefined` if it may run. */
  check(call: ToolCall, args: ToolArguments): Promise<ToolArguments | undefined>;
  /** Never rejects. */
  onIdle(): Promise<void>;
}

/** Layer name in the records. */
const LAYER = "errors";

/** Number of refused calls remembered, by session; beyond it the oldest may be refused again. */
const MOST_REFUSED = 500;
const MOST_SESSIONS = 100;

export function createHints(context: LayerContext): Hints {
  const { clock, config, files, folders, host, locks, log, seal } = context;
  const reading = { project: host.directory, redact: (text: string): string => redactSecrets(text).text };
  const failures = createFailures({
    ...{ ...reading, files, locks, log, seal },
    path: folders.errorLog,
    lock: folders.errorLock,
    maxLines: config.errors.maxErrorHistory,
  });
  /** By session: the last message decided about, so that a repeated request is the same. */
  const decided = new Map<string, string>();
  const doings = createDoings(clock);
  const refused = new Set<string>();

  return {
    onIdle: failures.onIdle,

    async answer(request, signal) {
      const { history, sessionID } = request;
      const isReady = request.isReady();
      const hasForgotten = isReady && (await forget(context, { request, layer: LAYER, signal }));
      const repetitions = await failures.learn(sessionID, history.messages);
      if (!isReady) return false;
      const isMessage = history.messages.at(-1)?.info.role === "user";
      const additions = isMessage ? await forewarn(request) : hint(request, repetitions);
      return (await extend(context, { sessionID, layer: LAYER, additions, signal })) || hasForgotten;
    },

    async check({ sessionID, tool }, args) {
      const input = args as Readonly<Record<string, unknown>>;
      const callHash = hashInput({ tool, input }, reading);
      const { changedMs, ranMs } = doings.before(sessionID, callHash);
      const command = tool === "bash" ? readText(input, "command") : undefined;
      doings.note({ sessionID, tool, callHash, command });
      const name = `${sessionID} ${callHash}`;
      // With another secret it is another call, although the hash is the same.
      const hasSecret = hashInput({ tool, input }, { ...reading, redact: (text) => text }) !== callHash;
      if (hasSecret || refused.has(name)) return undefined;
      const why = planRefusal(await failures.ofCall(callHash), { changedMs, ranMs, sessionID });
      if (why === undefined) return undefined;
      const [oldest = ""] = refused.add(name);
      if (refused.size > MOST_REFUSED) refused.delete(oldest);
      log.info(LAYER, `${tool} was refused in ${sessionID}: it failed before`);
      return refuse(why);
    },
  };

  /** After the user's message, unless decided before. */
  async function forewarn(request: ContextRequest): Promise<Addition[]> {
    const { find, history, sessionID, shownFrom } = request;
    const { messages } = history;
    const key = history.keyOf(messages.length - 1);
    if (!key || decided.get(sessionID) === key.key || isExtendedBy(LAYER, find(key.key))) return [];
    remember(decided, sessionID, key.key);
    const nowMs = clock.now();
    const known = await failures.recent({ sinceMs: nowMs - TOLD_FOR_MS });
    if (known.length === 0) return [];
    const text = planForewarning(known, {
      asked: readOwnTexts(messages.at(-1)?.parts ?? []).join("\n"),
      isBeginning: messages.findIndex(({ info }) => info.role === "user") === messages.length - 1,
      shown: findShown(request),
      isOwn: ({ session }) => session === sessionID && shownFrom() === 0,
      nowMs,
    });
    return text === undefined ? [] : [{ behind: key, text }];
  }

  function hint(
    { find, history, sessionID }: ContextRequest,
    repetitions: readonly Repetition[],
  ): Addition[] {
    return planHints(history, repetitions)
      .filter(({ result }) => !isExtendedBy(LAYER, find(result.key)))
      .map(({ result, repetition: { before } }) => {
        log.info(LAYER, `${before.tool} failed as before in ${sessionID}: ${before.call}`);
        return { behind: result, text: formatHint(before) };
      });
  }
}

/** The layer's texts after the messages that are sent. */
function findShown({ find, history, shownFrom }: ContextRequest): string[] {
  return [...history.messages.keys()].flatMap((index) => {
    const key = index < shownFrom() ? undefined : history.keyOf(index);
    return (key && find(key.key)?.extended?.find(({ layer }) => layer === LAYER)?.text) ?? [];
  });
}

/** Sets a value, and forgets the oldest session if there are too many. */
function remember<T>(bySession: Map<string, T>, sessionID: string, value: T): void {
  bySession.delete(sessionID);
  bySession.set(sessionID, value);
  const [oldest = ""] = bySession.keys();
  if (bySession.size > MOST_SESSIONS) bySession.delete(oldest);
}
