/**
 * Follows each request to its end, in the background. Records in the savings ledger what was sent and what was kept out,
 * reports the measured size, and notes requests that were too long.
 */

import type PQueue from "p-queue";
import { isEndedAnswer } from "../../src/conversation/history.js";
import type { MessageInfo } from "../../src/conversation/message.js";
import type { HostEvent } from "../../src/dispatcher/hooks.js";
import type { Tool } from "../../src/dispatcher/tool.js";
import type { Folders } from "../../src/folders.js";
import { formatCount } from "../../src/format.js";
import type { Log } from "../../src/record/log.js";
import { priceNet, priceUsage, type Savings } from "../../src/record/savings.js";
import type { Clock } from "../../src/seams/clock.js";
import type { Files } from "../../src/seams/files.js";
import { isRecord } from "../../src/records.js";
import { type ContextSizes, estimateTokens } from "../../src/view/context-size.js";
import type { ContextRequest } from "../../src/view/request.js";
import type { ModelWindows } from "../../src/view/windows.js";
import { countUsage, createBare } from "./bare/bare.js";
import type { BarePlan, Usage } from "./bare/plan-bare.js";

export interface RequestUsage {
  /** The request is about to be sent. */
  open(request: ContextRequest): void;
  /** Closes a request when its answer has ended or the provider has refused it as too long. */
  hear(event: HostEvent): void;
}

export interface RequestUsageOptions {
  clock: Pick<Clock, "now">;
  files: Files;
  folders: Folders;
  writes: PQueue;
  log: Log;
  savings: Savings;
  sizes: ContextSizes;
  windows: ModelWindows;
  /** The plugin's tools, whose definitions are in every request. */
  tools: readonly Tool[];
}

const LAYER = "view";

export function createRequestUsage({
  clock,
  files,
  folders,
  log,
  savings,
  sizes,
  tools,
  windows,
  writes,
}: RequestUsageOptions): RequestUsage {
  const open = new Map<string, ContextRequest>();
  const bare = createBare({
    clock,
    files,
    sizes,
    tools,
    savingsFolder: folders.savings,
    resultsFolder: folders.toolResults,
  });

  return {
    open: (request) => void open.set(request.sessionID, request),

    hear({ type, properties: { error, info, sessionID } }) {
      if (type === "message.updated" && isEnded(info)) {
        const request = close(info.sessionID);
        if (request) recordUsage(request, info);
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
    if (request.isCompaction) return;
    const { cache, input } = info.tokens;
    const { sessionID } = request;
    const shown = request.show();
    const sent = input + cache.read + cache.write;
    sizes.report(sessionID, info, shown);
    if (request.model) windows.noteTaken(request.model, sent);
    void writes.add(async () => {
      const plan = await bare.follow({ request, shown, info });
      savings.record(planAnswer(request, countUsage(info), plan));
    });
  }

  /** Keeps the next requests to the model smaller: its window is smaller than configured. */
  function noteRefused({ isCompaction, model, show, ...request }: ContextRequest): void {
    // A request for a summary has neither the system prompt nor the tools.
    const tokens = isCompaction ? estimateTokens(show()) : request.estimateTokens(show());
    if (!model || !windows.noteRefused(model, tokens)) return;
    const name = `${model.providerID}/${model.modelID}`;
    log.warn(
      LAYER,
      `about ${formatCount(tokens)} tokens were too long for ${name}: the next requests are kept smaller. Check whether limit.context is too large for this model`,
    );
  }
}

/** The ledger record of one answer. Pure. */
export function planAnswer({ rates, sessionID }: ContextRequest, counted: Usage, plan: BarePlan) {
  const price = (usage: Usage | undefined): number => (usage ? priceUsage(usage, rates(usage.sent)) : 0);
  const { request, retracted, summary } = plan;
  const { at, cached, sent, since } = request;
  const net = price(request) + price(summary) - price(retracted) - price(counted);
  return {
    session: sessionID,
    layer: LAYER,
    event: "answer",
    ...counted,
    keptOut: sent - counted.sent,
    bare: { sent, cached, at, since },
    dbg: { calls: (globalThis as any).__dbg, summary, look: retracted !== undefined },
    ...priceNet(net, rates(counted.sent)),
  };
}

type EndedInfo = MessageInfo & Required<Pick<MessageInfo, "tokens">>;

function isOverflow(error: unknown): boolean {
  return isRecord(error) && error.name === "ContextOverflowError";
}

/** Is it an ended answer of the session's own agent, with the provider's counts? */
function isEnded(info: unknown): info is EndedInfo {
  if (!isRecord(info) || !isRecord(info.time) || info.time.completed === undefined) return false;
  return isEndedAnswer({ info: info as unknown as MessageInfo, parts: [] });
}
