/**
 * Asks the provider to keep the prompt cache for an hour. With `options.cacheControl` OpenCode 1.18.33 leaves out its own
 * cache points, and Anthropic puts one at the end of the prompt (measured with the real host).
 */
import type { ModelPrices } from "../record/prices.js";
import { isRecord } from "../records.js";

const SDK = "@ai-sdk/anthropic";
/** The host's one-shot requests, which nothing would read again. */
const ONE_SHOT_AGENTS = ["title", "summary", "compaction"];
/** Price of writing a token for an hour; one of input is 1 (platform.claude.com/docs/en/about-claude/pricing). */
const WRITTEN = 2;

interface AskedModel {
  providerID: string;
  api?: unknown;
}

export interface AskedRequest {
  agent: string;
  model: AskedModel;
  options: unknown;
}

export function hasLongCache({ api, providerID }: AskedModel): boolean {
  return providerID === "anthropic" && isRecord(api) && api.npm === SDK;
}

/** Sets the option unless the user or another plugin has. */
export function askForLongCache({ agent, model, options }: AskedRequest): void {
  if (!hasLongCache(model) || ONE_SHOT_AGENTS.includes(agent) || !isRecord(options)) return;
  options.cacheControl ??= { type: "ephemeral", ttl: "1h" };
}

export function withLongCache({ longer, ...first }: ModelPrices): ModelPrices {
  return {
    ...first,
    cacheWrite: first.input * WRITTEN,
    longer: longer.map((tier) => ({ ...tier, cacheWrite: tier.input * WRITTEN })),
  };
}
