import type { Decision } from "./decision-batch.js";

/** A decision as it is known: with who made it, in which session, and when (0 where that is not known). */
export interface KnownDecision extends Decision {
  session: string;
  layer: string;
  at: number;
}

/** All that is decided about one result or message. */
export interface Standing {
  /** `kept` or `replaced`. */
  judged?: KnownDecision;
  /** In the order in which they were made, at most one of each layer. */
  extended?: readonly KnownDecision[];
  cleared?: KnownDecision;
  cut?: KnownDecision;
  rewritten?: KnownDecision;
}
