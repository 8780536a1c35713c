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
  /** Without a text if it was undone. */
  cut?: KnownDecision;
  rewritten?: KnownDecision;
  dropped?: KnownDecision;
  /** Absent if it was unpinned since. */
  pinned?: KnownDecision;
  /** The last time that it was brought back. */
  expanded?: KnownDecision;
}
