/**
 * Follows what the host would have sent without the plugin, in each session. The last requests are in memory; after a
 * restart they are read from the savings ledger, and in a fork, or where the ledger says nothing, they are estimated from
 * the history.
 */
import type { Result } from "../../../src/conversation/history.js";
import { type Message, type MessageInfo, isToolPart } from "../../../src/conversation/message.js";
import { estimateToolTokens, type Tool } from "../../../src/dispatcher/tool.js";
import { readJsonLines } from "../../../src/record/json-lines.js";
import { parseSavingsRecord } from "../../../src/record/savings.js";
import type { Clock } from "../../../src/seams/clock.js";
import type { Files } from "../../../src/seams/files.js";
import { findHostBreak } from "../../../src/view/breaks.js";
import { type ContextSizes, countCharacters } from "../../../src/view/context-size.js";
import type { ContextRequest } from "../../../src/view/request.js";
import { countUsableTokens } from "../../../src/view/windows.js";
import { findLooks } from "./looks.js";
import { type BarePlan, type BareRequest, type BareStep, planBare, type Usage } from "./plan-bare.js";
import { planSummary } from "./summary.js";

export interface Bare {
  /** What the host would have sent for this answer. */
  follow(answered: Answered): Promise<BarePlan>;
}

/** A request with its answer. */
export interface Answered {
  request: ContextRequest;
  /** The messages that were sent. */
  shown: readonly Message[];
  info: MessageInfo & Required<Pick<MessageInfo, "tokens">>;
}

export interface BareOptions {
  clock: Pick<Clock, "now">;
  files: Files;
  sizes: ContextSizes;
  tools: readonly Tool[];
  savingsFolder: string;
  /** Folder of whole results. */
  resultsFolder: string;
}

/** What is known of a session. */
interface Session {
  /** By the start of their answers. */
  requests: Map<number, BareRequest>;
  /** Starts of the answers that were only looks. */
  looks: Set<number>;
  last?: { at: number; sent: number; characters: number };
}

const MOST_SESSIONS = 100;
const MOST_REQUESTS = 2_000;

export function createBare(options: BareOptions): Bare {
  const { sizes, tools } = options;
  const sessions = new Map<string, Promise<Session>>();
  const own = new Set(tools.map(({ name }) => name));
  let toolTokens: number | undefined;

  return {
    async follow(answered) {
      const { request, info, shown } = answered;
      toolTokens ??= estimateToolTokens(tools);
      const session = await open(request.sessionID);
      const before = findBefore(session, request);
      const step = measure(session, answered, before, toolTokens);
      const plan = planBare(before, step);
      const at = info.time?.created ?? 0;
      session.requests.delete(at);
      session.requests.set(at, plan.request);
      if (session.requests.size > MOST_REQUESTS)
        session.requests.delete(session.requests.keys().next().value ?? 0);
      session.last = { at, sent: step.counted.sent, characters: countCharacters(shown) };
      return plan;
    },
  };

  function open(sessionID: string): Promise<Session> {
    const known = sessions.get(sessionID) ?? readSession(options, sessionID);
    sessions.delete(sessionID);
    sessions.set(sessionID, known);
    if (sessions.size > MOST_SESSIONS) sessions.delete(sessions.keys().next().value ?? "");
    return known;
  }

  function findBefore({ requests }: Session, { history, sessionID }: ContextRequest): BareRequest | undefined {
    const last = history.messages[history.lastAnswer]?.info;
    if (!last) return undefined;
    const known = requests.get(last.time?.created ?? -1);
    void sessionID;
    return known;
  }

  function measure(
    session: Session,
    { info, request, shown }: Answered,
    before: BareRequest | undefined,
    ours: number,
  ): BareStep {
    const { history, sessionID, window } = request;
    const { messages } = history;
    const rate = sizes.tokensPerCharacter(sessionID);
    const count = (some: readonly Message[]): number => countCharacters(some) * rate;
    const counted = countUsage(info);
    const lastAnswer = Math.max(0, history.lastAnswer);
    const added = messages.slice(lastAnswer);
    const answer = before && messages[history.lastAnswer];
    (globalThis as any).__dbg = [];
    const looks = answer
      ? findLooks(answer, {
          history,
          from: Math.max(0, messages.findIndex(({ info: { time } }) => (time?.created ?? 0) >= before.since)),
          goneAt: createGoneAt(request, answer),
          isOwnTool: (name) => own.has(name),
          resultsFolder: ".opencode/tool-results",
        })
      : [];
    const isLook = looks.length > 0 && looks.length === answer?.parts.filter(isToolPart).length;
    const shownNew = shown.slice(Math.max(0, shown.length - added.length));
    const shownOld = countCharacters(shown) - countCharacters(shownNew);
    const { last } = session;
    const isExact = last !== undefined && last.at === answer?.info.time?.created && last.characters === shownOld;
    const grownAll = isExact
      ? counted.sent - last.sent + count(added) - count(shownNew)
      : count(added);
    if (isLook) session.looks.add(answer?.info.time?.created ?? 0);
    const grown = isLook
      ? count(added.slice(1))
      : grownAll - (looks.length > 0 && answer ? count([{ ...answer, parts: looks }]) : 0);
    const fixedTokens = Math.max(0, sizes.fixedTokens(sessionID) - ours);
    const hostBreak = findHostBreak(history, request.model, options.clock.now());
    const usableTokens = window && window.contextTokens > 0 ? countUsableTokens(window) : undefined;
    return {
      at: info.time?.created ?? 0,
      counted,
      isCold: counted.cached < fixedTokens / 2 || hostBreak?.kind === "model" || hostBreak?.kind === "day",
      fixedTokens,
      wholeTokens: counted.sent - ours + count(messages) - count(shown),
      grownTokens: grown,
      isLook,
      usableTokens,
      summarize: (since) =>
        planSummary(
          messages.slice(0, lastAnswer + 1).filter(({ info: { time } }) => {
            const created = time?.created ?? 0;
            return created >= since && !session.looks.has(created);
          }),
          {
            at: info.time?.created ?? 0,
            usableTokens: usableTokens ?? 0,
            tokensPerCharacter: rate,
            later: messages.slice(lastAnswer + 1),
            isSecond: since > 0,
          },
        ),
    };
  }
}

export function countUsage({ tokens }: Answered["info"]): Usage {
  const { cache, input, output, reasoning } = tokens;
  return { sent: input + cache.read + cache.write, cached: cache.read, answered: output + reasoning };
}

async function readSession({ files, savingsFolder }: BareOptions, sessionID: string): Promise<Session> {
  const { records } = await readJsonLines(files, `${savingsFolder}/${sessionID}.jsonl`, parseSavingsRecord);
  const requests = new Map<number, BareRequest>();
  for (const { answered = 0, bare } of records) if (bare) requests.set(bare.at, { ...bare, answered });
  return { requests, looks: new Set() };
}

/** When a result went out of sight, by the decisions made before the answer. */
function createGoneAt({ find, history }: ContextRequest, { info }: Message): (result: Result) => number | undefined {
  const answeredAt = info.time?.completed ?? info.time?.created ?? 0;
  const cuts = [...history.messages.keys()].flatMap((index) => {
    const key = history.keyOf(index);
    const cut = key && find(key.key)?.cut;
    return cut?.text !== undefined && cut.at <= answeredAt ? [{ index, at: cut.at }] : [];
  });
  return ({ index, key }) => {
    const standing = find(key);
    const gone = [standing?.cleared, standing?.judged].filter((one) => one?.text !== undefined && one.at <= answeredAt);
    const times = [...gone.map((one) => one?.at ?? 0), ...cuts.filter((cut) => cut.index > index).map(({ at }) => at)];
    return times.length === 0 ? undefined : Math.min(...times);
  };
}
