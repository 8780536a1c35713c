import type { Decision } from "./decision-batch.js";

/** A decision with its layer, session and time (0 if unknown). */
export interface KnownDecision extends Decision {
  session: string;
  layer: string;
  at: number;
}

/** All decisions about a result or message. */
export interface Standing {
  /** `kept` or `replaced`. */
  judged?: KnownDecision;
  /** In the order in which they were made, at most one per layer. */
  extended?: readonly KnownDecision[];
  cleared?: KnownDecision;
  cut?: KnownDecision;
  rewritten?: KnownDecision;
}
