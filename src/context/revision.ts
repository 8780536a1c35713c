/**
 * Applies revisions: new texts for a message or result, because words behind the old ones were taken back, or because a
 * batch has broken the cache before a reminder, which goes with it.
 */
import type { KnownDecision, Standing } from "./known-decision.js";

/** Replaces the layer's text by the revised one, and its time by that of the revision. */
export function withRevision(standing: Standing, { at, layer, of, text }: KnownDecision): void {
  const renew = (decision: KnownDecision): KnownDecision => {
    if (decision.layer !== layer) return decision;
    const { text: _, ...rest } = decision;
    return { ...rest, at, ...(text !== undefined && { text }) };
  };
  if (of === "extended" && standing.extended) standing.extended = standing.extended.map(renew);
  if (of === "cut" && standing.cut) standing.cut = renew(standing.cut);
  if (of === "rewritten" && standing.rewritten) standing.rewritten = renew(standing.rewritten);
}
