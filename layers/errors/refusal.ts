/** The refusal of a call that is known to fail. Pure. */
import { formatDay } from "../../src/days.js";
import { quote } from "../../src/text.js";
import { REFUSED } from "./ended-call.js";
import { formatTimes, isCorrected, isOpen } from "./forewarning.js";
import type { KnownFailure } from "./known-failures.js";

const LONGEST_TEXT = 260;

/**
 * Why the call should not be made as it is; `undefined` if it may succeed: it failed only once and nothing better is
 * known, it has worked since, or files were changed since. `known`: the ways in which it has failed.
 */
export function planRefusal(known: readonly KnownFailure[], changedMs: number): string | undefined {
  const [failure] = known
    .filter((one) => isOpen(one) && (one.attempts > 1 || isCorrected(one)) && one.lastAt >= changedMs)
    .sort((a, b) => b.lastAt - a.lastAt);
  if (!failure) return undefined;
  const { attempts, lastAt, message, resolution } = failure;
  const before = `it failed the same way ${formatTimes(attempts)} before, last on ${formatDay(lastAt)} (.opencode/memory/errors.log): ${quote(message, LONGEST_TEXT)}.`;
  const end = resolution
    ? `What came of it on ${formatDay(resolution.at)}: ${quote(resolution.text, LONGEST_TEXT)}`
    : "Nothing that resolved it is known: do it in another way.";
  return `${REFUSED} ${before} ${end} If it must be made as it is, make it again: it is refused only once.`;
}
