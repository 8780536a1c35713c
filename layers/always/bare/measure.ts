/** Measures a request that was sent, for the comparison with what the host would have sent. Pure. */
import { CHARACTERS_PER_TOKEN, countCharacters } from "../../../src/context/context-size.js";
import type { Find } from "../../../src/context/replay.js";
import { isToolPart, type Message, type ToolPart } from "../../../src/io/message.js";
import { type History, isSummary, type Result } from "../../../src/messages/history.js";
import type { BareRequest, BareStep, BareSummary, Pruned } from "./plan-bare.js";
import { planHostSummary } from "./summary-in-session.js";
import type { Usage } from "./usage.js";

/** The request sent before, if it is known what was sent. */
export interface LastSent {
  at: number;
  sent: number;
  /** Characters of its messages. */
  characters: number;
}

export interface MeasuredRequest {
  /** Start of the answer. */
  at: number;
  history: History;
  /** The messages that were sent. */
  shown: readonly Message[];
  counted: Usage;
  last: LastSent | undefined;
  /** Calls of the answer before that are looks. */
  looks: readonly ToolPart[];
  /** Starts of earlier answers that were only looks. */
  pastLooks: ReadonlySet<number>;
  isCold: boolean;
  /** Another model than that of the answer before, which counts differently. */
  isOtherModel: boolean;
  fixedTokens: number;
  /** Tokens of Strata's tool definitions. */
  toolTokens: number;
  tokensPerCharacter: number;
  windowTokens: number | undefined;
  usableTokens: number | undefined;
  /** The host summarises in the session itself. */
  isInSession: boolean;
}

/** What OpenCode sends for a result that it has cleared. */
const PRUNED_CHARACTERS = "[Old tool result content cleared]".length;

export function measureStep(before: BareRequest | undefined, request: MeasuredRequest): BareStep {
  const { at, counted, fixedTokens, history, isCold, looks, shown, toolTokens, tokensPerCharacter } = request;
  const { isInSession, usableTokens, windowTokens } = request;
  const added = before ? findAdded(history, before.at) : [];
  const answer = added.find(({ info }) => info.time?.created === before?.at);
  const isLook = looks.length > 0 && looks.length === answer?.parts.filter(isToolPart).length;
  const count = (messages: readonly Message[]): number => countCharacters(messages) * tokensPerCharacter;
  const lookTokens = answer && !isLook ? count([{ ...answer, parts: looks }]) : 0;
  return {
    ...{ at, counted, fixedTokens, isCold, isLook, usableTokens, windowTokens },
    followingTokens: isInSession ? countCharacters(added) / CHARACTERS_PER_TOKEN : (before?.answered ?? 0),
    wholeTokens: counted.sent - toolTokens + count(history.messages) - count(shown),
    // Only the host's own summary and an undo make a history shorter.
    grownTokens: Math.max(
      0,
      isLook
        ? count(added.filter((message) => message !== answer))
        : countGrown(request, added) + (before && !answer ? before.answered : 0) - lookTokens,
    ),
    pruned: before && findPruned(before, request),
    summarize: (full) => summarize(request, full),
  };
}

/**
 * Tokens of the messages as the host has them. If nothing else has changed since the last request, the provider has
 * counted those that were shown.
 */
function countGrown(
  { counted, isOtherModel, last, shown, ...request }: MeasuredRequest,
  added: readonly Message[],
): number {
  const { history, tokensPerCharacter } = request;
  const all = countCharacters(added);
  const shownAdded = countCharacters(added.length === 0 ? [] : shown.slice(-added.length));
  const isExact =
    last !== undefined &&
    !isOtherModel &&
    last.at === history.messages[history.lastAnswer]?.info.time?.created &&
    last.characters === countCharacters(shown) - shownAdded;
  return isExact
    ? counted.sent - last.sent + (all - shownAdded) * tokensPerCharacter
    : all * tokensPerCharacter;
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

/** The host prunes when a turn has ended. */
function findPruned(
  before: BareRequest,
  { history, tokensPerCharacter }: MeasuredRequest,
): Pruned | undefined {
  const { lastAnswer, messages } = history;
  if (messages.at(-1)?.info.role !== "user") return undefined;
  let characters = 0;
  let behind = 0;
  for (const message of messages.slice(0, lastAnswer + 1)) {
    if ((message.info.time?.created ?? 0) < before.since) continue;
    const own = message.parts.reduce((sum, part) => sum + countPruned(part, before.at), 0);
    characters += own;
    if (characters > 0 && (message.info.time?.created ?? 0) < before.at)
      behind += own + countCharacters([message]);
  }
  if (characters === 0) return undefined;
  return { tokens: characters * tokensPerCharacter, prefixTokens: before.sent - behind * tokensPerCharacter };
}

/** Characters that the host has taken out of a result since then. */
function countPruned(part: Message["parts"][number], since: number): number {
  if (!isToolPart(part) || (part.state.time?.compacted ?? 0) <= since) return 0;
  return Math.max(0, (part.state.output?.length ?? 0) - PRUNED_CHARACTERS);
}

function summarize(request: MeasuredRequest, before: BareRequest): BareSummary {
  const { history, pastLooks } = request;
  const { lastAnswer, messages } = history;
  const own = messages.slice(0, lastAnswer + 1).filter(({ info: { time } }) => {
    const created = time?.created ?? 0;
    return created >= before.since && !pastLooks.has(created);
  });
  return planHostSummary(own, { ...request, before, later: messages.slice(lastAnswer + 1) });
}

/** When a result went out of sight, by the decisions made for the answer or before. */
export function createGoneAt(
  history: History,
  find: Find,
  answer: Message,
): (result: Result) => number | undefined {
  const { completed, created = 0 } = answer.info.time ?? {};
  const isEarly = (at: number): boolean => at <= (completed ?? created);
  const cuts = [...history.messages.keys()].flatMap((index) => {
    const key = history.keyOf(index);
    const cut = key && find(key.key)?.cut;
    return cut?.text !== undefined && isEarly(cut.at) ? [{ index, at: cut.at }] : [];
  });
  return ({ index, key }) => {
    const { cleared, judged } = find(key) ?? {};
    const answerKey = history.keyOf(index);
    const dropped = answerKey && find(answerKey.key)?.dropped;
    if (dropped && isEarly(dropped.at)) return dropped.at;
    const decided = [cleared, judged].flatMap((one) =>
      one?.text !== undefined && isEarly(one.at) ? [one.at] : [],
    );
    const times = [...decided, ...cuts.filter((cut) => cut.index > index).map(({ at }) => at)];
    return times.length === 0 ? undefined : Math.min(...times);
  };
}
