import type { History, Result } from "../../../src/conversation/history.js";
import type { Repetition } from "./failures.js";

/** A result behind which it is said that this has failed before. */
export interface PlannedHint {
  result: Result;
  repetition: Repetition;
}

/** One answer's calls that all fail as before need not all be told so. */
const MOST_HINTS = 3;

/**
 * Which repetitions are answered: those whose results have not been sent yet, in the newest answer. Not a command that
 * was run again after files were changed and that nothing is known to resolve: whether it works now is what it was run
 * for. Pure.
 */
export function planHints(history: History, repetitions: readonly Repetition[]): PlannedHint[] {
  const last = history.messages.length - 1;
  if (history.messages[last]?.info.role !== "assistant") return [];
  const fresh = history.results(last);
  const hints = repetitions.flatMap((repetition) => {
    const result = fresh.find(({ part }) => part === repetition.part);
    const { before, isRetryAfterChange } = repetition;
    const isTrial = isRetryAfterChange && before.tool === "bash" && before.resolution === undefined;
    return result && !isTrial ? [{ result, repetition }] : [];
  });
  return hints.slice(0, MOST_HINTS);
}
