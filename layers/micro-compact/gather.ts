import { estimateTextTokens, estimateTokens } from "../../src/view/context-size.js";
import type { Result } from "../../src/view/history.js";
import type { KnownDecision } from "../../src/view/known-decisions.js";
import type { Message } from "../../src/view/message.js";
import { findText } from "../../src/view/replay.js";
import type { ContextRequest } from "../../src/view/request.js";
import { MARKER_TOKENS } from "./marker.js";
import type { Candidate } from "./plan.js";
import { findSuperseded, type Supersession } from "./superseded.js";

/** A result that may be cleared, with what is needed to clear it. */
export interface Clearable extends Candidate {
  result: Result;
  /** What layer 1 has decided about it. */
  judged?: KnownDecision | undefined;
  superseded?: Supersession | undefined;
}

/** OpenCode's tools whose results can be had again; never those of MCP servers, subagents, skills, todos or memory. */
const CLEARED_TOOLS = new Set(["read", "bash", "grep", "glob", "list", "websearch", "webfetch"]);

/**
 * The results that may be cleared, in their order: of the tools above, sent at least once, not among the newest
 * `keepRecent`, not cleared yet, and larger than a marker. `view` are the messages as they would be sent.
 */
export function gatherClearable(
  { find, history, shownFrom }: ContextRequest,
  view: readonly Message[],
  keepRecent: number,
): Clearable[] {
  const from = shownFrom();
  const ours = history.results(from).filter(({ part }) => CLEARED_TOOLS.has(part.tool));
  const old = ours
    .slice(0, Math.max(0, ours.length - keepRecent))
    .filter(({ index, key }) => index < history.lastAnswer && !find(key)?.cleared);
  if (old.length === 0) return [];
  const superseded = findSuperseded(history.messages.slice(from));
  const cachedFrom = measureCached(view, history.messages.length - view.length, history.lastAnswer);
  return old
    .map((result): Clearable => {
      const standing = find(result.key);
      const shown = findText(result, standing) ?? result.text;
      const why = superseded.get(result.part);
      return {
        result,
        judged: standing?.judged,
        superseded: why,
        isSuperseded: why !== undefined,
        tokens: estimateTextTokens(shown) - MARKER_TOKENS,
        cachedFrom: cachedFrom(result.index),
      };
    })
    .filter(({ tokens }) => tokens > 0);
}

/**
 * Tokens that the last request had cached from a message of the history on. The view ends like the history; `shift` is
 * how many messages it has fewer.
 */
function measureCached(
  view: readonly Message[],
  shift: number,
  lastAnswer: number,
): (index: number) => number {
  const before: number[] = [0];
  for (const message of view) before.push((before.at(-1) ?? 0) + estimateTokens([message]));
  const tokensBefore = (index: number): number => before[Math.max(0, index - shift)] ?? 0;
  const cached = tokensBefore(lastAnswer);
  return (index) => Math.max(0, cached - tokensBefore(index));
}
