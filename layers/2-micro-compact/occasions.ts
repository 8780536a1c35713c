import { type History, isEndedAnswer } from "../../src/conversation/history.js";
import { formatCount } from "../../src/format.js";
import type { LayerContext } from "../../src/layer-context.js";
import { findTier, isFree } from "../../src/record/prices.js";
import { findColdReason, planCachePolicy } from "../../src/view/cold.js";
import type { ContextRequest } from "../../src/view/request.js";
import { countUsableTokens } from "../../src/view/windows.js";
import type { ClearPlan, Occasion } from "./plan.js";

export interface Occasions {
  /** What a request of so many tokens is an occasion for, and why, for people. */
  find(request: ContextRequest, tokens: number): { occasion: Occasion; reason: string };
  /** Keeps in mind whether a full context was left to a dearer layer, and when the last resort was taken. */
  note(sessionID: string, occasion: Occasion, plan: ClearPlan | undefined): void;
}

const MOST_SESSIONS = 100;
/** The last resort may free little and breaks the cache, so it is not taken again within this many requests. */
const LEAST_REQUESTS_BETWEEN = 20;
/** Beyond this share of the window it is taken all the same: the next answer might not fit. */
const FULL_SHARE_OF_WINDOW = 0.9;

export function createOccasions({ clock, config }: Pick<LayerContext, "clock" | "config">): Occasions {
  /** Sessions whose full context was left to a dearer layer at the last request. */
  const left = new Set<string>();
  /** When the last resort was taken in a session. */
  const takenMs = new Map<string, number>();

  return {
    find(request, tokens) {
      const { budgetTokens, history, model, prices } = request;
      const cold = findColdReason(history, model, clock.now(), planCachePolicy(config));
      if (cold !== undefined) return { occasion: { kind: "cold" }, reason: cold };
      const known = prices();
      if (tokens <= budgetTokens && known && isFree(known))
        return { occasion: { kind: "free" }, reason: "the model charges nothing" };
      const tierTokens = findTier(known, tokens);
      if (tokens <= budgetTokens && tierTokens !== undefined) {
        const reason = `beyond ${formatCount(tierTokens)} tokens the model charges more`;
        return { occasion: { kind: "tier", tokens, tierTokens }, reason };
      }
      if (tokens <= budgetTokens) return { occasion: { kind: "warm" }, reason: "it pays back" };
      const reason = `the context has about ${formatCount(tokens)} tokens of ${formatCount(budgetTokens)}`;
      const isLastResort = isLast(request, tokens);
      return { occasion: { kind: "full", tokens, budgetTokens, isLastResort }, reason };
    },

    note(sessionID, occasion, plan) {
      left.delete(sessionID);
      if (occasion.kind !== "full") return;
      if (!plan) left.add(sessionID);
      else if (occasion.isLastResort) takenMs.set(sessionID, clock.now());
      for (const known of [left, takenMs]) {
        const [oldest] = known.keys();
        if (known.size > MOST_SESSIONS && oldest !== undefined) known.delete(oldest);
      }
    },
  };

  /** A layer that could not make room at the last request will hardly do so at this one. */
  function isLast({ history, sessionID, window }: ContextRequest, tokens: number): boolean {
    if (config.autoCompact.enabled && !left.has(sessionID)) return false;
    const lastMs = takenMs.get(sessionID);
    if (lastMs === undefined || countAnswers(history, lastMs) >= LEAST_REQUESTS_BETWEEN) return true;
    return window !== undefined && tokens > countUsableTokens(window) * FULL_SHARE_OF_WINDOW;
  }
}

function countAnswers({ messages }: History, sinceMs: number): number {
  return messages.filter((message) => isEndedAnswer(message) && (message.info.time?.created ?? 0) >= sinceMs)
    .length;
}
