/** What fits into the models' windows, as the host tells it with each request. */
import type { ModelName } from "./message.js";

/** A model's window, in tokens. */
export interface ModelWindow {
  contextTokens: number;
  /** What the answer may take of it. */
  outputTokens: number;
  /** A limit on the prompt alone, where the model has one. */
  inputTokens?: number;
}

export interface ModelWindows {
  learn(model: ModelName, window: ModelWindow): void;
  find(model: ModelName | undefined): ModelWindow | undefined;
}

/** What OpenCode keeps free where the prompt has a limit of its own (`compaction.reserved`). */
const RESERVED_TOKENS = 20_000;
/** The part of what may be sent that we fill: the rest is for what one more answer brings before we are asked again. */
const FILLED = 0.85;

export function createModelWindows(): ModelWindows {
  const windows = new Map<string, ModelWindow>();
  const nameOf = ({ providerID, modelID }: ModelName): string => `${providerID}/${modelID}`;
  return {
    learn: (model, window) => void windows.set(nameOf(model), window),
    find: (model) => model && windows.get(nameOf(model)),
  };
}

/** Tokens of prompt and answer at which OpenCode 1.18.33 compacts by itself (measured). */
export function countUsableTokens({ contextTokens, outputTokens, inputTokens }: ModelWindow): number {
  return inputTokens === undefined ? contextTokens - outputTokens : inputTokens - RESERVED_TOKENS;
}

/** Tokens that a request may have before history has to go: the threshold, never above what the window allows. */
export function planBudget(threshold: number, window: ModelWindow | undefined): number {
  if (!window || window.contextTokens <= 0) return threshold;
  return Math.max(0, Math.min(threshold, Math.floor(countUsableTokens(window) * FILLED)));
}
