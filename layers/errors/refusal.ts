/** Refuses calls that are known to fail. Pure. */
import { formatDay } from "../../src/days.js";
import { quote } from "../../src/text.js";
import { REFUSED } from "./ended-call.js";
import { formatTimes, isCorrected, isOpen } from "./forewarning.js";
import type { KnownFailure } from "./known-failures.js";

const LONGEST_TEXT = 260;

/** What the session did before the call. */
export interface RefusalInput {
  sessionID: string;
  /** When it last changed files; 0 if never. */
  changedMs: number;
  /** When it last ran another command that may have changed something; 0 if never. */
  ranMs: number;
}

/**
 * Why the call should not run as it is; `undefined` if it may succeed: it has worked since, or files were changed
 * since. Without a known correction, refuses only a call that failed twice, in the session in which it last failed and
 * only before that session runs anything else: between sessions people and programs change things. `known`: the ways in
 * which it has failed.
 */
export function planRefusal(
  known: readonly KnownFailure[],
  { changedMs, ranMs, sessionID }: RefusalInput,
): string | undefined {
  const isHopeless = ({ attempts, lastAt, session }: KnownFailure): boolean =>
    attempts > 1 && session === sessionID && lastAt >= ranMs;
  const [failure] = known
    .filter((one) => isOpen(one) && one.lastAt >= changedMs && (hasOtherForm(one) || isHopeless(one)))
    .sort((a, b) => b.lastAt - a.lastAt);
  if (!failure) return undefined;
  const { attempts, lastAt, message, resolution } = failure;
  const before = `it failed the same way ${formatTimes(attempts)} before, last on ${formatDay(lastAt)} (.opencode/memory/errors.log): ${quote(message, LONGEST_TEXT)}.`;
  const end = resolution
    ? `What came of it on ${formatDay(resolution.at)}: ${quote(resolution.text, LONGEST_TEXT)}`
    : "Nothing that resolved it is known: do it in another way.";
  return `${REFUSED} ${before} ${end} If it must be made as it is, make it again: it is refused only once.`;
}

/** Affects only the call that follows in the same shell. */
const FOR_THIS_CALL = /^worked as: (cd|pushd|source|\.|export|set|nvm|conda) /;

/** Did another form work? If the same call worked after one with a lasting effect, it works now. */
function hasOtherForm(failure: KnownFailure): boolean {
  const { call, resolution } = failure;
  const text = resolution?.text ?? "";
  const isLater = ["&& ", "; "].some((between) => text.endsWith(between + call));
  return isCorrected(failure) && (!isLater || FOR_THIS_CALL.test(text));
}
