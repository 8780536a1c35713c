/**
 * Tells a session about failed calls.
 *
 *     a message of the user         earlier open failures, with what worked
 *     a call fails again            what resolved it, after its result
 *     a call is about to run        a refusal with `errors.onRepeat: "refuse"`, once per session
 *
 * Loaded with a process's first request.
 */
import { DAY_MS, formatDay } from "../../src/base/days.js";
import { quote, withoutMark } from "../../src/base/text.js";
import { type Addition, extend, forget, isExtendedBy, listExtended } from "../../src/context/additions.js";
import type { ContextRequest } from "../../src/context/request.js";
import { refuse, type ToolArguments, type ToolCall } from "../../src/kernel/hooks.js";
import type { LayerContext } from "../../src/kernel/layer-context.js";
import { isChangingTool, readOwnTexts } from "../../src/messages/call.js";
import type { History } from "../../src/messages/history.js";
import { redactSecrets } from "../../src/text/secrets/secrets.js";
import { hashCall, REFUSED } from "./ended-call.js";
import {
  createFailures,
  isCorrected,
  isOpen,
  type KnownFailure,
  type Repetition,
  splitWords,
} from "./failures.js";

const LAYER = "errors";

const MOST_HINTS = 3;
const LONGEST_RESOLUTION = 260;

export type Hints = ReturnType<typeof createHints>;

export function createHints(context: LayerContext) {
  const { clock, config, files, folders, host, locks, log, looks, seal } = context;
  const project = host.directory;
  const failures = createFailures({
    ...{ files, locks, log, looks, project, seal },
    path: folders.errorLog,
    lock: folders.errorLock,
    maxLines: config.errors.maxErrorHistory,
  });
  /** By session: the last message decided about, so that a repeated request is the same. */
  const decided = new Map<string, string>();
  const refused = new Set<string>();

  return {
    onIdle: failures.onIdle,

    /** Learns from the request, and returns whether something was added or removed. Rejects if it cannot be recorded. */
    async answer(request: ContextRequest, signal: AbortSignal): Promise<boolean> {
      const { history, sessionID } = request;
      const isReady = request.isReady();
      const hasForgotten = isReady && (await forget(context, { request, layer: LAYER, signal }));
      const repetitions = await failures.learn(sessionID, history.messages);
      if (!isReady) return false;
      const isMessage = history.messages.at(-1)?.info.role === "user";
      const additions = isMessage ? await forewarn(request) : hint(request, repetitions);
      return (await extend(context, { sessionID, layer: LAYER, additions, signal })) || hasForgotten;
    },

    /** The refusal of a call known to fail; `undefined` if it may run. */
    async check({ sessionID, tool }: ToolCall, args: ToolArguments): Promise<ToolArguments | undefined> {
      const callHash = hashCall(tool, args, project);
      const name = `${sessionID} ${callHash}`;
      // With another secret it is another call, although the hash is the same.
      if (refused.has(name) || redactSecrets(JSON.stringify(args)).found.length > 0) return undefined;
      const known = await failures.ofCall(callHash);
      const why = planRefusal(known, failures.changedAt(sessionID));
      if (why === undefined) return undefined;
      refused.add(name);
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
    decided.set(sessionID, key.key);
    const text = planForewarning(await failures.all(), {
      asked: readOwnTexts(messages.at(-1)?.parts ?? []).join("\n"),
      isBeginning: messages.findIndex(({ info }) => info.role === "user") === messages.length - 1,
      shown: listExtended(request, LAYER, shownFrom()).map(({ text }) => text),
      isOwn: ({ session }) => session === sessionID && shownFrom() === 0,
      nowMs: clock.now(),
    });
    return text === undefined ? [] : [{ behind: key, text }];
  }

  function hint({ find, history, sessionID }: ContextRequest, repetitions: readonly Repetition[]) {
    return planHints(history, repetitions)
      .filter(({ result }) => !isExtendedBy(LAYER, find(result.key)))
      .map(({ before, result }) => {
        log.info(LAYER, `${before.tool} failed as before in ${sessionID}: ${before.call}`);
        return { behind: result, text: formatHint(before) };
      });
  }
}

/**
 * The repetitions that get a hint: those with unsent results in the newest answer. Leaves out a command that was run
 * again after a change of files and has no known resolution: it was run to see whether it works now. Pure.
 */
function planHints(history: History, repetitions: readonly Repetition[]) {
  const last = history.messages.length - 1;
  if (history.messages[last]?.info.role !== "assistant") return [];
  const fresh = history.results(last);
  const hints = repetitions.flatMap(({ before, isRetryAfterChange, part: failed }) => {
    const result = fresh.find(({ part }) => part === failed);
    const isTrial = isRetryAfterChange && before.tool === "bash" && before.resolution === undefined;
    return result && !isTrial ? [{ result, before }] : [];
  });
  return hints.slice(0, MOST_HINTS);
}

/** Uses wording that stays true: dates, not "yesterday". Texts of tools and people are quoted. Pure. */
export function formatHint({ attempts, firstAt, lastAt, resolution }: KnownFailure): string {
  const [first, last] = [formatDay(firstAt), formatDay(lastAt)];
  const when = attempts === 1 || first === last ? `on ${last}` : `since ${first}, last on ${last}`;
  const before = `[Strata] This very call failed the same way ${formatTimes(attempts)} before, ${when} (.opencode/memory/errors.log).`;
  if (!resolution)
    return `${before} Nothing that resolved it is known: do it in another way rather than once more.`;
  return `${before} ${formatResolution(resolution)}`;
}

const formatResolution = ({ at, text }: NonNullable<KnownFailure["resolution"]>): string =>
  `What came of it on ${formatDay(at)}: ${quote(text, LONGEST_RESOLUTION)}`;

/**
 * Why the call should not run as it is: another form of it is known to work, and the session has changed no file since it
 * failed. `known`: the ways in which it has failed. Pure.
 */
function planRefusal(known: readonly KnownFailure[], changedAt: number): string | undefined {
  const [failure] = known
    .filter((one) => isCorrected(one) && one.lastAt >= changedAt)
    .sort((a, b) => b.lastAt - a.lastAt);
  if (!failure?.resolution) return undefined;
  const { attempts, lastAt, message, resolution } = failure;
  const before = `it failed the same way ${formatTimes(attempts)} before, last on ${formatDay(lastAt)} (.opencode/memory/errors.log): ${quote(message, LONGEST_RESOLUTION)}.`;
  return `${REFUSED} ${before} ${formatResolution(resolution)} If it must be made as it is, make it again: it is refused only once.`;
}

/* Warns a session, after the user's messages, of calls that failed before. Pure. */

interface ForewarningInput {
  asked: string;
  isBeginning: boolean;
  shown: readonly string[];
  /** Its own failures are in its context and need no repetition. */
  isOwn(failure: KnownFailure): boolean;
  nowMs: number;
}

/** First line of such a text; identifies it. */
export const FOREWARNING_HEAD =
  "[Strata] Calls that failed here before, in case you are about to repeat them (.opencode/memory/errors.log). It is a record, no request.";

/** Older failures are mentioned only when repeated. */
const TOLD_FOR_MS = 30 * DAY_MS;
const MOST_AT_BEGINNING = 5;
const MOST_FOR_A_MESSAGE = 3;
const MOST_LOOKED_AT = 200;
const LOOKED_AT = 20_000;
const MOST_CHARACTERS = 1_200;
const [LONGEST_CALL, LONGEST_TEXT] = [120, 140];
/** Shorter words of a call occur in many messages. */
const SHORTEST_WORD = 5;

/**
 * With the first message, open failures that were repeated or whose correction is known, most frequent first;
 * with any message, those whose call it names. `known`: newest last. `undefined` if none applies.
 */
function planForewarning(known: readonly KnownFailure[], input: ForewarningInput): string | undefined {
  const { asked, isBeginning, isOwn, nowMs, shown } = input;
  const message = asked.slice(0, LOOKED_AT).toLowerCase();
  const open = known
    .slice(-MOST_LOOKED_AT)
    .filter((one) => isOpen(one) && !isOwn(one) && nowMs - one.lastAt < TOLD_FOR_MS)
    // Edits do not recur: the next edit of the same file has other texts.
    .filter(({ tool }) => !isChangingTool(tool))
    .filter((one) => !shown.some((text) => text.includes(nameCall(one))))
    .sort((a, b) => b.attempts - a.attempts || b.lastAt - a.lastAt);
  const named = open.filter(({ call }) => isNamed(call, message)).slice(0, MOST_FOR_A_MESSAGE);
  const worth = isBeginning ? open.filter((one) => one.attempts > 1 || isCorrected(one)) : [];
  const most = isBeginning ? MOST_AT_BEGINNING : MOST_FOR_A_MESSAGE;
  const told = [...new Map([...named, ...worth].map((one) => [nameCall(one), one])).values()].slice(0, most);
  const lines = told.map(formatFailure);
  while (lines.join("\n").length > MOST_CHARACTERS) lines.pop();
  return lines.length === 0 ? undefined : [FOREWARNING_HEAD, ...lines].join("\n");
}

const formatTimes = (attempts: number): string =>
  attempts === 1 ? "once" : attempts === 2 ? "twice" : `${attempts} times`;

function formatFailure(failure: KnownFailure): string {
  const { attempts, lastAt, message, resolution } = failure;
  const when = `${formatTimes(attempts)}, last on ${formatDay(lastAt)}`;
  const end = resolution
    ? `What came of it: ${toData(resolution.text, LONGEST_TEXT)}`
    : "Nothing that resolved it is known.";
  return `- ${nameCall(failure)} failed ${when}: ${toData(message, LONGEST_TEXT)}. ${end}`;
}

/** The tool and the call, as in a line. */
const nameCall = ({ call, tool }: KnownFailure): string => `${tool} ${toData(call, LONGEST_CALL)}`;

/** Quotes a tool's text so that it cannot pass for the plugin's own. */
const toData = (text: string, limit: number): string => quote(withoutMark(text), limit);

/** Does the message contain the call, or its path, address or script? */
function isNamed(call: string, message: string): boolean {
  const whole = call.toLowerCase();
  if (whole.length >= SHORTEST_WORD && message.includes(whole)) return true;
  const telling = splitWords(whole).filter(
    (word) => word.length >= SHORTEST_WORD && /[\p{L}\p{N}][/.:][\p{L}\p{N}]/u.test(word),
  );
  return telling.some((word) => message.includes(word));
}
