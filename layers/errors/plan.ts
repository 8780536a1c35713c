import type { History, Result } from "../../src/conversation/history.js";
import type { Repetition } from "./failures.js";

/** A result that gets a hint, and the repetition it is about. */
export interface PlannedHint {
  result: Result;
  repetition: Repetition;
}

/** Maximum number of hints in one answer. */
const MOST_HINTS = 3;

/**
 * Selects the repetitions that get a hint: those with unsent results in the newest answer. Leaves out a command that was
 * run again after a change of files and has no known resolution: it was run to see whether it works now. Pure.
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
