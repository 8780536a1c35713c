/**
 * Follows in each session what the host would have sent without Strata. What was estimated is kept in memory, and in the
 * savings ledger for the time after a restart; a fork begins with its whole history.
 */
import { relative } from "node:path";
import { formatError } from "../../../src/base/error.js";
import { count, each, keepLast, object, parserOf } from "../../../src/base/shape.js";
import { findHostBreak } from "../../../src/context/cold.js";
import { CHARACTERS_PER_TOKEN, countCharacters } from "../../../src/context/context-size.js";
import { type ContextRequest, countUsableTokens } from "../../../src/context/request.js";
import { parseSavingsRecord, type Usage } from "../../../src/costs/savings.js";
import { readJsonLines } from "../../../src/io/json-lines.js";
import { isSummary, isToolPart, type Message, type ToolPart } from "../../../src/io/message.js";
import { estimateDefinition, formatParameters, type Tool } from "../../../src/kernel/layer.js";
import type { KernelContext } from "../../../src/kernel/layer-context.js";
import { type History, isManualSummary } from "../../../src/messages/history.js";
import {
  type BaselinePlan,
  type BaselineRequest,
  type BaselineStep,
  planBaseline,
  planSummary,
  planSummaryInSession,
} from "./plan-baseline.js";
import { createGoneAt, findRereads } from "./rereads.js";

interface AnsweredRequest {
  request: ContextRequest;
  shown: readonly Message[];
  at: number;
  counted: Usage;
}

export interface FollowedRequest extends BaselinePlan {
  /** Number of calls of the answer before that only looked at what Strata had taken out. */
  rereads: number;
}

interface Session {
  /** By the start of their answers; the last 1,000. */
  requests: Map<number, BaselineRequest>;
  rereads: Set<number>;
  /** The request sent before, and the characters of its messages. */
  last?: { at: number; sent: number; characters: number };
  /** The host's last summary, until it is compared with one that it would have made. */
  summary?: Usage | undefined;
}

const MOST_SESSIONS = 50;
const MOST_REQUESTS = 1_000;

export type Baseline = ReturnType<typeof createBaseline>;

export function createBaseline(context: KernelContext) {
  const { folders, tools } = context;
  const sessions = new Map<string, Session>();
  const names = new Set(tools.map(({ name }) => name));
  const resultsFolder = relative(folders.project, folders.toolResults);
  const sizeOf = ({ parameters, ...tool }: Tool): number =>
    estimateDefinition({ ...tool, parameters: formatParameters(parameters) });
  /** Measured at the first answer: OpenCode waits for the start. */
  let toolTokens: number | undefined;

  return {
    /** Reads what is known of the session. Never rejects. */
    async open(sessionID: string): Promise<void> {
      if (!sessions.has(sessionID)) sessions.set(sessionID, await readSession(context, sessionID));
    },

    isOpen: (sessionID: string): boolean => sessions.has(sessionID),

    /** What the host would have sent for this answer. Call in the order of the answers. */
    follow(answered: AnsweredRequest): FollowedRequest {
      const { at, counted, request, shown } = answered;
      const { freshSummary, messages } = request.history;
      const session = find(request.sessionID);
      const isByHand = isManualSummary(messages, freshSummary);
      const before = isByHand ? undefined : findBefore(session, request.history);
      toolTokens ??= tools.reduce((sum, tool) => sum + sizeOf(tool), 0);
      const rereads = before ? findAgain(request, before) : [];
      const step = measureStep(answered, { before, rereads, session, toolTokens }, context);
      const plan = planBaseline(before, step);
      if (step.isReread && before) session.rereads.add(before.at);
      remember(session, plan.request);
      session.last = { at, sent: counted.sent, characters: countCharacters(shown) };
      const summary = isByHand || plan.summary ? findSummary(session, plan) : undefined;
      return { ...plan, ...(summary && { summary }), rereads: rereads.length };
    },

    noteSummary(sessionID: string, usage: Usage): void {
      find(sessionID).summary = usage;
    },
  };

  function find(sessionID: string): Session {
    const known = sessions.get(sessionID) ?? { requests: new Map(), rereads: new Set() };
    keepLast(sessions, sessionID, known, MOST_SESSIONS);
    return known;
  }

  function findAgain({ find, history }: ContextRequest, { at, since }: BaselineRequest): ToolPart[] {
    const { messages } = history;
    const answer = messages.find(({ info }) => info.role === "assistant" && info.time?.created === at);
    if (!answer) return [];
    const from = messages.findIndex(({ info: { time } }) => (time?.created ?? 0) >= since);
    return findRereads(answer, {
      ...{ history, from: Math.max(0, from), project: folders.project, resultsFolder },
      goneAt: createGoneAt(history, find, answer),
      isOwnTool: (name) => names.has(name),
    });
  }
}

interface Known {
  session: Session;
  before: BaselineRequest | undefined;
  rereads: readonly ToolPart[];
  toolTokens: number;
}

function measureStep(
  answered: AnsweredRequest,
  { before, rereads, session, toolTokens }: Known,
  { clock, host, sizes }: KernelContext,
): BaselineStep {
  const { at, counted, request, shown } = answered;
  const { history, model, sessionID, window } = request;
  const tokensPerCharacter = sizes.tokensPerCharacter(sessionID);
  const measure = (some: readonly Message[]): number => countCharacters(some) * tokensPerCharacter;
  const fixedTokens = Math.max(0, sizes.fixedTokens(sessionID) - toolTokens);
  const hostBreak = findHostBreak(history, model, clock.now())?.kind;
  const windowTokens = window && window.contextTokens > 0 ? window.contextTokens : undefined;
  const usableTokens = window && windowTokens && host.summarizes() ? countUsableTokens(window) : undefined;
  const isInSession = host.summarizesInSession === true;
  const added = before ? findAdded(history, before.at) : [];
  const answer = added.find(({ info }) => info.time?.created === before?.at);
  const isReread = rereads.length > 0 && rereads.length === answer?.parts.filter(isToolPart).length;
  // Another model counts differently.
  const counts = hostBreak === "model" ? undefined : countGrown(answered, session, tokensPerCharacter, added);
  const lost = before && !answer ? before.answered : 0;
  const again = answer ? measure([{ ...answer, parts: [...rereads] }]) : 0;
  const grown = isReread
    ? measure(added.filter((message) => message !== answer))
    : (counts ?? measure(added)) + lost - again;
  return {
    ...{ at, counted, fixedTokens, isReread, windowTokens, usableTokens },
    // Strata never changes the system prompt: a provider that has a cache has that at least.
    isCold: counted.cached < fixedTokens / 2 || hostBreak === "model" || hostBreak === "day",
    followingTokens: isInSession ? countCharacters(added) / CHARACTERS_PER_TOKEN : (before?.answered ?? 0),
    wholeTokens: counted.sent - toolTokens + measure(history.messages) - measure(shown),
    // Only the host's own summary and an undo make a history shorter.
    grownTokens: Math.max(0, grown),
    summarize(full) {
      const own = history.messages.slice(0, history.lastAnswer + 1).filter(({ info: { time } }) => {
        const created = time?.created ?? 0;
        return created >= full.since && !session.rereads.has(created);
      });
      const later = history.messages.slice(history.lastAnswer + 1);
      const given = { at, before: full, fixedTokens, later, tokensPerCharacter, usableTokens };
      return isInSession ? planSummaryInSession(own, given) : planSummary(own, given);
    },
  };
}

/**
 * Tokens of the new messages as the host has them. If nothing else has changed since the last request, the provider has
 * counted them as they were shown; `undefined` if something has.
 */
function countGrown(
  { counted, request: { history }, shown }: AnsweredRequest,
  { last }: Session,
  tokensPerCharacter: number,
  added: readonly Message[],
): number | undefined {
  const shownAdded = countCharacters(added.length === 0 ? [] : shown.slice(-added.length));
  const isSame =
    last?.at === history.messages[history.lastAnswer]?.info.time?.created &&
    last?.characters === countCharacters(shown) - shownAdded;
  if (!last || !isSame) return undefined;
  return counted.sent - last.sent + (countCharacters(added) - shownAdded) * tokensPerCharacter;
}

/** The answer that began then and everything after it, without a summary of the host's and the messages around it. */
function findAdded({ freshSummary, messages }: History, at: number): readonly Message[] {
  const from = messages.findIndex(({ info: { time } }) => (time?.created ?? 0) >= at);
  if (from === -1) return [];
  if (freshSummary === -1) return messages.slice(from);
  return messages.filter((message, index) => {
    const isAround = isSummary(message) || index === freshSummary - 1 || isContinue(message);
    return (message.info.time?.created ?? 0) >= at && !isAround;
  });
}

/** The host's request to continue after a summary. */
function isContinue({ info, parts }: Message): boolean {
  return info.role === "user" && parts.length > 0 && parts.every(({ synthetic }) => synthetic === true);
}

/** The request before. After a revert it is an earlier one; the host's own summary may have taken its answer away. */
function findBefore({ requests }: Session, { freshSummary, messages }: History): BaselineRequest | undefined {
  const made = messages[freshSummary]?.info.time?.created;
  const earlier = [...requests.values()].filter(({ at }) => made !== undefined && at < made);
  if (earlier.length > 0) return earlier.reduce((last, one) => (one.at > last.at ? one : last));
  // The last answer is unknown if it was interrupted, or given while Strata was off.
  const known = messages.findLast(({ info: { time } }) => requests.has(time?.created ?? -1));
  return requests.get(known?.info.time?.created ?? -1);
}

/**
 * A person who asks for a summary pays for it with and without Strata. What the host has summarised is no longer in the
 * history, so its own call is the better measure.
 */
function findSummary(session: Session, { summary: planned }: BaselinePlan): Usage | undefined {
  const { summary: made } = session;
  session.summary = undefined;
  return made && made.sent > (planned?.sent ?? 0) ? made : planned;
}

const remember = ({ requests }: Session, request: BaselineRequest): void =>
  keepLast(requests, request.at, request, MOST_REQUESTS);

async function readSession({ files, folders, log }: KernelContext, sessionID: string): Promise<Session> {
  const session: Session = { requests: new Map(), rereads: new Set() };
  const path = `${folders.savings}/${sessionID}.jsonl`;
  try {
    const { records } = await readJsonLines(files, path, parseSavingsRecord);
    for (const { answered = 0, bare } of records) {
      const known = parseRequest(bare);
      if (known) remember(session, { ...known, answered });
    }
  } catch (thrown) {
    log.warn("savings", `cannot read ${path}, what was saved is estimated anew: ${formatError(thrown)}`);
  }
  return session;
}

const parseRequest = parserOf(
  object<Omit<BaselineRequest, "answered">>(each(count, "at", "cached", "sent", "since")),
);
