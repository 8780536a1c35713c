import type { Doubt } from "../../../../src/language/language.js";
import type { MemoryType } from "../../../../src/memory/memory.js";

export interface SignalRow {
  type: MemoryType;
  /** A sentence must match one of them. */
  patterns: readonly RegExp[];
  /** Doubts that do not count against this row. */
  despite?: readonly Doubt[];
  /** Explicitly meant to last: "from now on". A model may not drop it. */
  isExplicit?: true;
}
