/**
 * What the screen shows of a session: written by the plugin behind each request, read by the TUI half and the command
 * line. One file per session, `.opencode/strata/state/screen/<sessionID>.json`, replaced as a whole.
 */

import { isVersion } from "../record/version.js";
import { anyList, anyObject, object, optional, parserOf, string } from "../shape.js";

/** What the tokens of a request are spent on. Their sum is the size of the request. */
export const KINDS = ["system", "words", "answers", "calls", "results", "memory", "notes"] as const;
export type Kind = (typeof KINDS)[number];

/** A saving against the bare host. */
export interface Saving {
  /** Part of the bare host's price that was saved; negative if Strata cost more. `undefined` before the first answer. */
  share?: number;
  /** Tokens at input price. */
  tokens: number;
  /** `undefined` if the model's prices are unknown or zero. */
  dollars?: number;
}

export interface SessionScreen {
  v: 1;
  session: string;
  title?: string;
  /** Time of the last request, ISO 8601, UTC. */
  time: string;
  /** Tokens of the last request, as the provider counted them, or estimated before it did. */
  context: { now: number; without: number; threshold: number; window?: number; kinds: Record<Kind, number> };
  /** Part of the prompt that came from the cache: in the last answer, and in the whole session; 0 to 1. */
  cache: { last?: number; session?: number };
  saved: { session: Saving; today: Saving; project: Saving };
  memory: { memories: number; candidates: number; blockers: number; conflicts: number };
  /** Why automatic summaries are off in this session. */
  breaker?: string;
  /** What Strata does in the background now, such as "dream". */
  background: string[];
  /** One sentence each: wrong settings, missing capabilities, other instances that edit the same files. */
  warnings: string[];
}

export const parseSessionScreen = parserOf(
  object<SessionScreen>({
    v: isVersion,
    session: string,
    title: optional(string),
    time: string,
    context: anyObject,
    cache: anyObject,
    saved: anyObject,
    memory: anyObject,
    breaker: optional(string),
    background: anyList,
    warnings: anyList,
  }),
);
