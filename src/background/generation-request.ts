import type { ToolBounds, UsedTokens } from "../seams/host.js";

/** A model call of our own. */
export interface GenerationRequest {
  /** What it is for, in a few words, always the same ones: "session notes". */
  purpose: string;
  /** The session it is for. */
  sessionID: string;
  /** The task and the material. The system prompt is ours: a writer that takes no orders from material. */
  prompt: string;
  /** A longer answer is a failure. */
  maxCharacters?: number;
  /** For a model that works with tools: what it may do, and for how long. */
  tools?: ToolBounds & { deadlineMs: number; signal: AbortSignal };
}

export type GenerationResult =
  | { kind: "text"; text: string; tokens: UsedTokens }
  /** No call was made. */
  | { kind: "refused"; why: string }
  /** A call was made and came to nothing. */
  | { kind: "failed"; why: string };
