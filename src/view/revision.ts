/** What stands for a message or result in other words, because some that it was made of were taken back. */
import type { KnownDecision, Standing } from "./known-decision.js";

/** Puts what the layer says now in the place of what it said; when it said so counts from now on too. */
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
