/**
 * Follows in each session what the host would have sent without Strata. What was estimated is kept in memory, and in the
 * savings ledger for the time after a restart; in a fork it is estimated from the history.
 */
import { formatError } from "../../../src/base/error.js";
import { count, each, object, parserOf } from "../../../src/base/shape.js";
import { findHostBreak } from "../../../src/context/breaks.js";
import {
  CHARACTERS_PER_TOKEN,
  type ContextSizes,
  countCharacters,
} from "../../../src/context/context-size.js";
import type { ContextRequest } from "../../../src/context/request.js";
import { countUsableTokens } from "../../../src/context/windows.js";
import { parseSavingsRecord } from "../../../src/costs/savings.js";
import type { Clock } from "../../../src/io/clock.js";
import type { Files } from "../../../src/io/files.js";
import type { Host } from "../../../src/io/host.js";
import { readJsonLines } from "../../../src/io/json-lines.js";
import type { Log } from "../../../src/io/log.js";
import type { Message, MessageInfo } from "../../../src/io/message.js";
import { estimateToolTokens, type Tool } from "../../../src/kernel/layer.js";
import { isEndedAnswer, isManualSummary } from "../../../src/messages/history.js";
import { findLooks } from "./looks.js";
import { createGoneAt, type LastSent, type MeasuredRequest, measureStep } from "./measure.js";
import { type BarePlan, type BareRequest, planBare } from "./plan-bare.js";
import { planHostSummary } from "./summary-in-session.js";
import { countUsage, type Usage } from "./usage.js";

export interface Bare {
  /** Reads what is known of the session. Never rejects. */
  open(sessionID: string): Promise<void>;
  isOpen(sessionID: string): boolean;
  /** What the host would have sent for this answer. Call in the order of the answers. */
  follow(answered: AnsweredRequest): FollowedRequest;
  /** The host has made a summary of its own. */
  noteSummary(sessionID: string, usage: Usage): void;
}

export interface AnsweredRequest {
  request: ContextRequest;
  /** The messages that were sent. */
  shown: readonly Message[];
  info: MessageInfo;
}

export interface FollowedRequest extends BarePlan {
  /** Number of calls of the answer before that only looked at what Strata had taken out. */
  looks: number;
}

export interface BareOptions {
  clock: Pick<Clock, "now">;
  files: Files;
  host: Pick<Host, "summarizes" | "summarizesInSession">;
  log: Pick<Log, "warn">;
  sizes: ContextSizes;
  tools: readonly Tool[];
  project: string;
  savingsFolder: string;
  /** Folder of whole results, as calls name it. */
  resultsFolder: string;
}

/** What is known of a session. */
interface Session {
  /** By the start of their answers; the last 1,000. */
  requests: Map<number, BareRequest>;
  /** Starts of the answers that were only looks. */
  looks: Set<number>;
  last?: LastSent;
  /** The host's last summary, until it is compared with one that it would have made. */
  summary?: Usage | undefined;
}

const MOST_SESSIONS = 50;
const MOST_REQUESTS = 1_000;

export function createBare(options: BareOptions): Bare {
  const { sizes, tools } = options;
  const sessions = new Map<string, Session>();
  const names = new Set(tools.map(({ name }) => name));
  let toolTokens: number | undefined;

  return {
    async open(sessionID) {
      if (!sessions.has(sessionID)) sessions.set(sessionID, await readSession(options, sessionID));
    },

    isOpen: (sessionID) => sessions.has(sessionID),

    follow(answered) {
      const { request, shown } = answered;
      toolTokens ??= estimateToolTokens(tools);
      const session = find(request.sessionID);
      const measured = { ...measure(answered, toolTokens), last: session.last, pastLooks: session.looks };
      const isByHand = isManualSummary(request.history.messages, request.history.freshSummary);
      const before = isByHand ? undefined : findBefore(session, measured);
      const looks = before ? findOwnLooks(request, before) : [];
      const step = measureStep(before, { ...measured, looks });
      const plan = planBare(before, step);
      if (step.isLook && before) session.looks.add(before.at);
      remember(session, plan.request);
      session.last = { at: measured.at, sent: measured.counted.sent, characters: countCharacters(shown) };
      const summary = isByHand || plan.summary ? findSummary(session, plan) : undefined;
      return { ...plan, ...(summary && { summary }), looks: looks.length };
    },

    noteSummary(sessionID, usage) {
      find(sessionID).summary = usage;
    },
  };

  function find(sessionID: string): Session {
    const known = sessions.get(sessionID) ?? { requests: new Map(), looks: new Set() };
    sessions.delete(sessionID);
    sessions.set(sessionID, known);
    if (sessions.size > MOST_SESSIONS) sessions.delete(sessions.keys().next().value ?? "");
    return known;
  }

  function measure(
    { info, request, shown }: AnsweredRequest,
    ours: number,
  ): Omit<MeasuredRequest, "last" | "looks"> {
    const { history, model, sessionID, window } = request;
    const counted = countUsage(info);
    const fixedTokens = Math.max(0, sizes.fixedTokens(sessionID) - ours);
    const hostBreak = findHostBreak(history, model, options.clock.now())?.kind;
    const windowTokens = window && window.contextTokens > 0 ? window.contextTokens : undefined;
    return {
      at: info.time?.created ?? 0,
      ...{ counted, fixedTokens, history, shown, windowTokens },
      pastLooks: new Set(),
      // Strata never changes the system prompt: a provider that has a cache has that at least.
      isCold: counted.cached < fixedTokens / 2 || hostBreak === "model" || hostBreak === "day",
      isOtherModel: hostBreak === "model",
      isInSession: options.host.summarizesInSession === true,
      toolTokens: ours,
      tokensPerCharacter: sizes.tokensPerCharacter(sessionID),
      usableTokens:
        window && windowTokens !== undefined && options.host.summarizes()
          ? countUsableTokens(window)
          : undefined,
    };
  }

  function findOwnLooks({ find, history }: ContextRequest, { at, since }: BareRequest) {
    const { messages } = history;
    const answer = messages.find(({ info }) => info.role === "assistant" && info.time?.created === at);
    if (!answer) return [];
    const from = messages.findIndex(({ info: { time } }) => (time?.created ?? 0) >= since);
    return findLooks(answer, {
      history,
      from: Math.max(0, from),
      goneAt: createGoneAt(history, find, answer),
      isOwnTool: (name) => names.has(name),
      project: options.project,
      resultsFolder: options.resultsFolder,
    });
  }
}

/**
 * A person who asks for a summary pays for it with and without Strata. What the host has summarised is no longer in the
 * history, so its own call is the better measure.
 */
function findSummary(session: Session, { summary: planned }: BarePlan): Usage | undefined {
  const { summary: made } = session;
  session.summary = undefined;
  return made && made.sent > (planned?.sent ?? 0) ? made : planned;
}

function remember({ requests }: Session, request: BareRequest): void {
  requests.delete(request.at);
  requests.set(request.at, request);
  if (requests.size > MOST_REQUESTS) requests.delete(requests.keys().next().value ?? 0);
}

/** The request before. After a revert it is an earlier one; the host's own summary may have taken its answer away. */
function findBefore(
  { requests }: Session,
  {
    history,
    ...sizes
  }: Pick<MeasuredRequest, "history" | "tokensPerCharacter" | "fixedTokens"> &
    Pick<MeasuredRequest, "isInSession" | "toolTokens" | "usableTokens" | "windowTokens">,
): BareRequest | undefined {
  const { freshSummary, lastAnswer, messages } = history;
  const made = messages[freshSummary]?.info.time?.created;
  if (made !== undefined) {
    const earlier = [...requests.values()].filter(({ at }) => at < made);
    if (earlier.length > 0) return earlier.reduce((last, one) => (one.at > last.at ? one : last));
  }
  if (lastAnswer === -1) return undefined;
  // The last answer is unknown if it was interrupted, or given while Strata was off.
  const known = messages.findLast(({ info: { time } }) => requests.has(time?.created ?? -1));
  return requests.get(known?.info.time?.created ?? -1) ?? estimateBare(messages, sizes);
}

/** Without the ledger, what came before is estimated from the history. Never rejects. */
async function readSession({ files, log, savingsFolder }: BareOptions, sessionID: string): Promise<Session> {
  const session: Session = { requests: new Map(), looks: new Set() };
  const path = `${savingsFolder}/${sessionID}.jsonl`;
  try {
    const { records } = await readJsonLines(files, path, parseSavingsRecord);
    for (const { answered = 0, bare } of records) {
      const known = parseBare(bare);
      if (known) remember(session, { ...known, answered });
    }
  } catch (thrown) {
    log.warn("savings", `cannot read ${path}, what was saved is estimated anew: ${formatError(thrown)}`);
  }
  return session;
}

const parseBare = parserOf(
  object<Omit<BareRequest, "answered">>(each(count, "at", "cached", "sent", "since")),
);

/*
 * Estimates from a history what the host would have sent for its last answer: in a fork, and where the ledger says nothing.
 * Sizes are from characters, and looks are not known. Pure.
 */

export interface EstimateOptions {
  fixedTokens: number;
  /** Tokens of Strata's tool definitions. */
  toolTokens: number;
  tokensPerCharacter: number;
  windowTokens: number | undefined;
  usableTokens: number | undefined;
  isInSession: boolean;
}

export function estimateBare(
  messages: readonly Message[],
  options: EstimateOptions,
): BareRequest | undefined {
  const { fixedTokens, isInSession, tokensPerCharacter, toolTokens, usableTokens, windowTokens } = options;
  let before: BareRequest | undefined;
  let from = 0;
  for (const [index, message] of messages.entries()) {
    if (!isEndedAnswer(message)) continue;
    const { created: at = 0 } = message.info.time ?? {};
    const grown = countCharacters(messages.slice(from, index));
    const counted = countUsage(message.info);
    const leastTokens = counted.sent - toolTokens;
    const [seen, last] = [messages.slice(0, index), from];
    const { request } = planBare(before, {
      at,
      ...{ counted, fixedTokens, usableTokens, windowTokens },
      grownTokens: grown * tokensPerCharacter,
      followingTokens: isInSession ? grown / CHARACTERS_PER_TOKEN : (before?.answered ?? 0),
      isCold: false,
      isLook: false,
      wholeTokens: leastTokens,
      summarize: (full) =>
        planHostSummary(
          seen.slice(0, last + 1).filter(({ info: { time } }) => (time?.created ?? 0) >= full.since),
          { ...options, at, before: full, later: seen.slice(last + 1) },
        ),
    });
    // Until the host would have summarised, Strata can only have made a request smaller.
    before = request.since === 0 ? { ...request, sent: Math.max(request.sent, leastTokens) } : request;
    from = index;
  }
  return before;
}
