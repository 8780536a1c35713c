import type { Result } from "../../src/conversation/history.js";
import type { Message } from "../../src/conversation/message.js";
import { estimateTextTokens, estimateTokens } from "../../src/view/context-size.js";
import type { KnownDecision } from "../../src/view/known-decision.js";
import { findText } from "../../src/view/replay.js";
import type { ContextRequest } from "../../src/view/request.js";
import { findReach, hasLookBack } from "./look-back.js";
import { MARKER_TOKENS } from "./marker.js";
import type { Candidate } from "./plan.js";
import { findSuperseded, type Supersession } from "./superseded.js";

/** A result that may be cleared, with everything needed to clear it. */
export interface Clearable extends Candidate {
  result: Result;
  /** The text currently shown for it. */
  shown: string;
  /** Layer 1's decision about it. */
  judged?: KnownDecision | undefined;
  superseded?: Supersession | undefined;
}

/** OpenCode's tools with repeatable results; never those of MCP servers, subagents, skills, todos or memory. */
const CLEARED_TOOLS = new Set(["read", "bash", "grep", "glob", "list", "websearch", "webfetch"]);

/**
 * The results that may be cleared, in order: from the tools above, sent at least once, older than the newest
 * `keepRecent`, not yet cleared, and larger than a marker. `view` is the list of messages as they would be sent.
 */
export function gatherClearable(
  { find, history, model, shownFrom }: ContextRequest,
  view: readonly Message[],
  keepRecent: number,
): Clearable[] {
  const from = shownFrom();
  const results = history.results(from);
  const old = results.slice(0, Math.max(0, results.length - keepRecent)).flatMap((result) => {
    if (!CLEARED_TOOLS.has(result.part.tool) || result.index >= history.lastAnswer) return [];
    const decision = find(result.key);
    if (decision?.cleared) return [];
    const shown = findText(result, decision) ?? result.text;
    const tokens = estimateTextTokens(shown) - MARKER_TOKENS;
    return tokens > 0 ? [{ result, shown, judged: decision?.judged, tokens }] : [];
  });
  if (old.length === 0) return [];
  const superseded = findSuperseded(history.messages.slice(from));
  const reach = model && hasLookBack(model) ? findReach(view) : 0;
  const cachedFrom = measureCached(view, {
    shift: history.messages.length - view.length,
    lastAnswer: history.lastAnswer,
    reach,
  });
  return old.map((one): Clearable => {
    const why = superseded.get(one.result.part);
    return {
      ...one,
      superseded: why,
      isSuperseded: why !== undefined,
      cachedFrom: cachedFrom(one.result.index),
    };
  });
}

/**
 * Returns, for a message of the history, the tokens that the last request cached from it on; before `reach`, an index in
 * the view, all of them. View and history end with the same message; `shift` is the number of messages the view lacks.
 */
function measureCached(
  view: readonly Message[],
  { lastAnswer, reach, shift }: { lastAnswer: number; reach: number; shift: number },
): (index: number) => number {
  const before: number[] = [];
  let sum = 0;
  for (const message of view) {
    before.push(sum);
    sum += estimateTokens([message]);
  }
  const tokensBefore = (index: number): number => before[Math.max(0, index - shift)] ?? 0;
  const cached = tokensBefore(lastAnswer);
  return (index) => (index - shift < reach ? cached : Math.max(0, cached - tokensBefore(index)));
}
