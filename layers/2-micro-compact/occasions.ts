import { formatCount } from "../../src/format.js";
import type { LayerContext } from "../../src/layer-context.js";
import { findTier, isFree } from "../../src/record/prices.js";
import { findColdReason, planCachePolicy } from "../../src/view/cold.js";
import type { ContextRequest } from "../../src/view/request.js";
import type { ClearPlan, Occasion } from "./plan.js";

export interface Occasions {
  /** What a request of so many tokens is an occasion for, and why, for people. */
  find(request: ContextRequest, tokens: number): { occasion: Occasion; reason: string };
  /** Keeps in mind whether a full context was left to a dearer layer. */
  note(sessionID: string, occasion: Occasion, plan: ClearPlan | undefined): void;
}

const MOST_SESSIONS = 100;

export function createOccasions({ clock, config }: Pick<LayerContext, "clock" | "config">): Occasions {
  /** Sessions whose full context was left to a dearer layer at the last request. */
  const left = new Set<string>();

  return {
    find({ budgetTokens, history, model, prices, sessionID }, tokens) {
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
      // A layer that could not make room at the last request will hardly do so at this one.
      const isLastResort = !config.autoCompact.enabled || left.has(sessionID);
      return { occasion: { kind: "full", tokens, budgetTokens, isLastResort }, reason };
    },

    note(sessionID, occasion, plan) {
      left.delete(sessionID);
      if (occasion.kind === "full" && !plan) left.add(sessionID);
      const [oldest] = left;
      if (left.size > MOST_SESSIONS && oldest !== undefined) left.delete(oldest);
    },
  };
}
