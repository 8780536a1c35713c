import type { Decision } from "./decisions.js";

/** One line of a decisions file: what was decided about the results of one answer. */
export interface DecisionBatch {
  v: 1;
  session: string;
  layer: string;
  decisions: Decision[];
}

/** The batch, or `undefined` when the value is not one; then nothing of it counts. */
export function parseDecisionBatch(value: unknown): DecisionBatch | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { v, session, layer, decisions } = value as Partial<DecisionBatch>;
  const isBatch =
    v === 1 && typeof session === "string" && typeof layer === "string" && Array.isArray(decisions);
  return isBatch && decisions.every(isDecision) ? { v, session, layer, decisions } : undefined;
}

function isDecision(value: unknown): value is Decision {
  if (typeof value !== "object" || value === null) return false;
  const { key, outcome, text, file } = value as Partial<Decision>;
  if (typeof key !== "string") return false;
  if (outcome === "kept") return true;
  if (typeof file !== "string") return false;
  return outcome === "used" || (outcome === "replaced" && typeof text === "string" && text !== "");
}
