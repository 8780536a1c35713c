/** What fits into the models' windows, as the host tells it with each request. */
import type { ModelName } from "../conversation/message.js";

/** A model's window, in tokens. */
export interface ModelWindow {
  contextTokens: number;
  /** What the answer may take of it. */
  outputTokens: number;
  /** A limit on the prompt alone, where the model has one. */
  inputTokens?: number;
  /** A request of about so many was too long for the provider: the window is smaller than it is said to be. */
  refusedTokens?: number;
}

export interface ModelWindows {
  learn(model: ModelName, window: ModelWindow): void;
  /** The provider has refused a request of about so many tokens as too long; whether that is news. */
  noteRefused(model: ModelName, tokens: number): boolean;
  /** The provider has taken a request of so many tokens: a refusal of fewer had another reason. */
  noteTaken(model: ModelName, tokens: number): void;
  find(model: ModelName | undefined): ModelWindow | undefined;
}

/** What OpenCode keeps free where the prompt has a limit of its own (`compaction.reserved`). */
const RESERVED_TOKENS = 20_000;
/** The part of what may be sent that we fill: the rest is for what one more answer brings before we are asked again. */
const FILLED = 0.85;
/** The part of a refused request that the next ones may have: its size is an estimate, and so is that of the next. */
const BELOW_REFUSED = 0.8;

export function createModelWindows(): ModelWindows {
  const windows = new Map<string, ModelWindow>();
  const refused = new Map<string, number>();
  const nameOf = ({ providerID, modelID }: ModelName): string => `${providerID}/${modelID}`;
  return {
    learn: (model, window) => void windows.set(nameOf(model), window),
    noteRefused(model, tokens) {
      const isNews = tokens < (refused.get(nameOf(model)) ?? Number.POSITIVE_INFINITY);
      if (isNews) refused.set(nameOf(model), tokens);
      return isNews;
    },
    noteTaken(model, tokens) {
      if (tokens >= (refused.get(nameOf(model)) ?? Number.POSITIVE_INFINITY)) refused.delete(nameOf(model));
    },
    find(model) {
      const window = model && windows.get(nameOf(model));
      const refusedTokens = model && refused.get(nameOf(model));
      return window && refusedTokens !== undefined ? { ...window, refusedTokens } : window;
    },
  };
}

/** Tokens of prompt and answer at which OpenCode 1.18.33 compacts by itself (measured). */
export function countUsableTokens({ contextTokens, outputTokens, inputTokens }: ModelWindow): number {
  return inputTokens === undefined ? contextTokens - outputTokens : inputTokens - RESERVED_TOKENS;
}

/**
 * Tokens that a request may have before history has to go: the threshold, never above what the window allows, nor
 * near what the provider has refused.
 */
export function planBudget(threshold: number, window: ModelWindow | undefined): number {
  if (!window) return threshold;
  const { contextTokens, refusedTokens = Number.POSITIVE_INFINITY } = window;
  const allowed = contextTokens > 0 ? countUsableTokens(window) * FILLED : Number.POSITIVE_INFINITY;
  return Math.max(0, Math.floor(Math.min(threshold, allowed, refusedTokens * BELOW_REFUSED)));
}
