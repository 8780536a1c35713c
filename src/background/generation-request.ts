import type { ToolBounds, UsedTokens } from "../seams/host.js";

/** A model call by Strata. */
export interface GenerationRequest {
  /** Purpose in a few fixed words: "session notes". */
  purpose: string;
  /** The session it is for. */
  sessionID: string;
  /** Task and material. Strata sets the system prompt: a writer that ignores instructions in the material. */
  prompt: string;
  /** A longer answer is a failure. */
  maxCharacters?: number;
  /** For a model with tools: what it may do, and for how long. */
  tools?: ToolBounds & { deadlineMs: number; signal: AbortSignal };
}

export type GenerationResult =
  | { kind: "text"; text: string; tokens: UsedTokens }
  /** No call was made. */
  | { kind: "refused"; why: string }
  /** A call was made and came to nothing. */
  | { kind: "failed"; why: string };
