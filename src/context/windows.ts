/** Sizes of the models' context windows, as given by the host with each request. */
import type { ModelName } from "../io/message.js";

/** A model's context window, in tokens. */
export interface ModelWindow {
  contextTokens: number;
  /** Maximum tokens of the answer. */
  outputTokens: number;
  /** Limit on the prompt alone, if the model has one. */
  inputTokens?: number;
  /** Tokens of prompt and answer at which the host compacts by itself, if it is not OpenCode 1. */
  usableTokens?: number;
  /** The provider refused a request of about this size as too long: the window is smaller than stated. */
  refusedTokens?: number;
}

/** Tokens that OpenCode keeps free if the prompt has its own limit (`compaction.reserved`). */
const RESERVED_TOKENS = 20_000;
/** Share of the usable window to fill; the rest is for what one more answer adds before the next check. */
const FILLED = 0.85;
/** Share of a refused request's size allowed for later ones, since both sizes are estimates. */
const BELOW_REFUSED = 0.8;

export type ModelWindows = ReturnType<typeof createModelWindows>;

export function createModelWindows() {
  const windows = new Map<string, ModelWindow>();
  const refused = new Map<string, number>();
  const nameOf = ({ providerID, modelID }: ModelName): string => `${providerID}/${modelID}`;
  return {
    learn: (model: ModelName, window: ModelWindow): void => void windows.set(nameOf(model), window),
    /** The provider refused a request of about this size as too long. Returns whether that is new. */
    noteRefused(model: ModelName, tokens: number): boolean {
      const isNews = tokens < (refused.get(nameOf(model)) ?? Number.POSITIVE_INFINITY);
      if (isNews) refused.set(nameOf(model), tokens);
      return isNews;
    },
    /** The provider accepted a request of this size: a refusal of a smaller one had another reason. */
    noteTaken(model: ModelName, tokens: number): void {
      if (tokens >= (refused.get(nameOf(model)) ?? Number.POSITIVE_INFINITY)) refused.delete(nameOf(model));
    },
    find(model: ModelName | undefined): ModelWindow | undefined {
      const window = model && windows.get(nameOf(model));
      const refusedTokens = model && refused.get(nameOf(model));
      return window && refusedTokens !== undefined ? { ...window, refusedTokens } : window;
    },
  };
}

/** Tokens of prompt and answer at which OpenCode 1.18.33 compacts by itself (measured). */
export function countUsableTokens({
  contextTokens,
  inputTokens,
  outputTokens,
  usableTokens,
}: ModelWindow): number {
  if (usableTokens !== undefined) return usableTokens;
  return inputTokens === undefined ? contextTokens - outputTokens : inputTokens - RESERVED_TOKENS;
}

/**
 * Tokens that a request may have before history must be cut: the threshold, but never more than the window allows, nor
 * close to a size that the provider has refused.
 */
export function planBudget(threshold: number, window: ModelWindow | undefined): number {
  if (!window) return threshold;
  const { contextTokens, refusedTokens = Number.POSITIVE_INFINITY } = window;
  const allowed = contextTokens > 0 ? countUsableTokens(window) * FILLED : Number.POSITIVE_INFINITY;
  return Math.max(0, Math.floor(Math.min(threshold, allowed, refusedTokens * BELOW_REFUSED)));
}
