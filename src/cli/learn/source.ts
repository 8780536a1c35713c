/** Where past conversations come from. */
import type { PastTurn } from "../../../layers/5-auto-memory/learn/learner.js";

export interface SourcedTurn extends PastTurn {
  /** Message and session as the file names them, if it may use numbers. */
  given?: { id: string | number; session: string | number };
}

/** A part of a source that cannot be read. */
export interface SourceProblem {
  /** File and line, or session. */
  place: string;
  /** What was expected, and what came. */
  what: string;
}

export interface Source {
  turns(): AsyncIterable<SourcedTurn>;
}

export interface SourceEvents {
  onProblem(problem: SourceProblem): void;
  /** Position in the source, in its own unit. */
  onProgress(done: number, all: number): void;
}
