/**
 * Follows each request to its end, in the background. Records in the savings ledger what was sent and what was kept out,
 * reports the measured size, and notes requests that were too long.
 */

import { formatError } from "../../src/base/error.js";
import { formatCount } from "../../src/base/format.js";
import { isRecord } from "../../src/base/shape.js";
import { listExtended } from "../../src/context/additions.js";
import { countCall, estimateTokens } from "../../src/context/context-size.js";
import type { ContextRequest } from "../../src/context/request.js";
import {
  countUsage,
  type NewSavingsRecord,
  priceNet,
  priceUsage,
  type Usage,
} from "../../src/costs/savings.js";
import type { HostEvent } from "../../src/io/host.js";
import type { KernelContext } from "../../src/kernel/layer-context.js";
import { findQuestion, isOnlyKeeping, KEEP_TOOL } from "../../src/memory/candidates/candidate.js";
import { type EndedInfo, isEnded, type Result } from "../../src/messages/history.js";
import type { Baseline, FollowedRequest } from "./baseline/baseline.js";
import type { Screen } from "./screen.js";

type RequestUsageOptions = KernelContext & { screen: Pick<Screen, "note"> };

const LAYER = "view";

export type RequestUsage = ReturnType<typeof createRequestUsage>;

export function createRequestUsage(options: RequestUsageOptions) {
  const { log, savings, screen, sizes, windows } = options;
  const open = new Map<string, ContextRequest>();
  const baselines = createBaselines(options);

  return {
    open(request: ContextRequest): void {
      const { sessionID } = request;
      open.set(sessionID, request);
      if (!baselines.open(sessionID)) screen.note({ request, show: request.show });
    },

    /** Closes a request when its answer has ended or the provider has refused it as too long. */
    onEvent({ type, properties: { error, info, sessionID } }: HostEvent): void {
      if (type === "message.updated" && isEnded(info)) {
        const request = open.get(info.sessionID);
        if (!request || request.isCompaction !== (info.summary === true)) return;
        close(info.sessionID);
        if (request.isCompaction) recordSummary(request, info);
        else recordUsage(request, info);
      }
      if (typeof sessionID !== "string") return;
      if (type === "session.idle") close(sessionID);
      const request = type === "session.error" && isOverflow(error) ? close(sessionID) : undefined;
      if (request) noteRefused(request);
    },
  };

  function close(sessionID: string): ContextRequest | undefined {
    const request = open.get(sessionID);
    open.delete(sessionID);
    return request;
  }

  function recordUsage(request: ContextRequest, info: EndedInfo): void {
    const { sessionID } = request;
    const shown = request.show();
    const counted = countUsage(info);
    sizes.report(sessionID, info, shown);
    if (request.model) windows.noteTaken(request.model, counted.sent);
    baselines.use(sessionID, ({ follow }) => {
      const followed = follow({ request, shown, at: info.time?.created ?? 0, counted });
      const tokensPerCharacter = sizes.tokensPerCharacter(sessionID);
      const judging = priceJudging(request, { sent: counted.sent, tokensPerCharacter });
      savings.record(planAnswer(request, counted, { ...followed, judging }));
      screen.note({ request, show: () => shown, usage: counted, bareTokens: followed.request.sent });
    });
  }

  function recordSummary({ rates, sessionID }: ContextRequest, info: EndedInfo): void {
    const counted = countUsage(info);
    const price = priceUsage(counted, rates(counted.sent));
    const paid = { cost: Math.round(price), ...priceNet(-price, rates(counted.sent)) };
    savings.record({ session: sessionID, layer: LAYER, event: "summary", ...counted, ...paid });
    baselines.use(sessionID, ({ noteSummary }) => noteSummary(sessionID, counted));
  }

  /** Keeps the next requests to the model smaller: its window is smaller than configured. */
  function noteRefused({ isCompaction, model, show, ...request }: ContextRequest): void {
    // A request for a summary has neither the system prompt nor the tools.
    const tokens = isCompaction ? estimateTokens(show()) : request.estimateTokens(show());
    if (!model || !windows.noteRefused(model, tokens)) return;
    const what = `about ${formatCount(tokens)} tokens were too long for ${model.providerID}/${model.modelID}`;
    const how = "Check whether limit.context is too large for this model";
    log.warn(LAYER, `${what}: the next requests are kept smaller. ${how}`);
  }
}

/** Its code is loaded with the first request. What it is needed for meanwhile waits, in order. */
function createBaselines(options: RequestUsageOptions) {
  const { log, writes } = options;
  const waiting = new Map<string, Promise<void>>();
  let baseline: Baseline | undefined;
  const attempt = async (sessionID: string, work: () => void | Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (thrown) {
      log.error(LAYER, `cannot compare ${sessionID} with OpenCode alone: ${formatError(thrown)}`);
    }
  };

  return {
    open(sessionID: string): boolean {
      const isKnown = baseline?.isOpen(sessionID) === true;
      if (!isKnown && !waiting.has(sessionID)) this.use(sessionID, () => {});
      return isKnown;
    },

    /** At once if the session is known, as the host may end right after its last answer. Never throws. */
    use(sessionID: string, work: (baseline: Baseline) => void): void {
      const run = () => attempt(sessionID, () => baseline && work(baseline));
      if (baseline?.isOpen(sessionID) && !waiting.has(sessionID)) return void run();
      const done = writes.add(async () => {
        await attempt(sessionID, async () => {
          const { createBaseline } = await import("./baseline/baseline.js");
          baseline ??= createBaseline(options);
          await baseline.open(sessionID);
        });
        await run();
        if (waiting.get(sessionID) === done) waiting.delete(sessionID);
      });
      waiting.set(sessionID, done);
    },
  };
}

/** The ledger record of one answer: what the host would have paid without Strata, less what was paid. Pure. */
export function planAnswer(
  { rates, sessionID }: Pick<ContextRequest, "rates" | "sessionID">,
  counted: Usage,
  { judging = 0, request, rereads, retracted, summary }: FollowedRequest & { judging?: number },
): NewSavingsRecord {
  const price = (usage: Usage): number => priceUsage(usage, rates(usage.sent));
  const cost = price(counted);
  const net = price(request) + (summary ? price(summary) : 0) - (retracted ? price(retracted) : 0) - cost;
  const { at, cached, sent, since } = request;
  return {
    session: sessionID,
    layer: LAYER,
    event: "answer",
    ...counted,
    keptOut: sent - counted.sent,
    ...(rereads > 0 && { looks: rereads }),
    ...(judging > 0 && { judging: Math.round(judging) }),
    cost: Math.round(cost),
    bare: { sent, cached, at, since },
    ...priceNet(net, rates(counted.sent)),
  };
}

const isOverflow = (error: unknown): boolean => isRecord(error) && error.name === "ContextOverflowError";

/*
 * What asking the agent what to remember adds to the price of a request, in tokens at input price: the questions and the
 * calls by which it answers, carried in each later request; and a whole request where an answer did nothing else. Pure.
 */

/** Layer whose texts have the questions. */
const MEMORY_LAYER = "auto-memory";

type Priced = Pick<ContextRequest, "find" | "history" | "rates" | "shownFrom">;

export function priceJudging(
  request: Priced,
  { sent, tokensPerCharacter }: { sent: number; tokensPerCharacter: number },
): number {
  const { history } = request;
  const last = history.messages.length - 1;
  const newest = history.messages[last];
  const rates = request.rates(sent);
  const { answered, cached, written } = rates;
  let price = 0;
  for (const { characters, index, isCall } of findJudging(request)) {
    const isNew = index === last;
    price += characters * tokensPerCharacter * (isNew ? written + (isCall ? answered : 0) : cached);
  }
  if (!newest || !isOnlyKeeping(newest)) return price;
  const usage = countUsage(newest.info);
  // What it wrote to the cache the next request would have written without it.
  return price + priceUsage({ ...usage, cached: usage.sent }, rates);
}

function findJudging(request: Priced) {
  const from = request.shownFrom();
  const questions = listExtended(request, MEMORY_LAYER, from).flatMap(({ index, text }) => {
    const question = findQuestion(text);
    return question === undefined ? [] : [{ index, characters: question.length, isCall: false }];
  });
  const answers = request.history.results(from).filter(({ part }) => part.tool === KEEP_TOOL);
  const charactersOf = ({ part, text }: Result): number => countCall(part) + text.length;
  return [
    ...questions,
    ...answers.map((one) => ({ index: one.index, characters: charactersOf(one), isCall: true })),
  ];
}
