/** The hint after the result of a call that has failed the same way before. Pure. */
import { formatDay } from "../../src/days.js";
import { quote } from "../../src/text.js";
import { formatTimes } from "./forewarning.js";
import type { KnownFailure } from "./known-failures.js";

const LONGEST_RESOLUTION = 260;

/** Uses wording that stays true: dates, not "yesterday". Texts of tools and people are quoted. */
export function formatHint({ attempts, firstAt, lastAt, resolution }: KnownFailure): string {
  const [first, last] = [formatDay(firstAt), formatDay(lastAt)];
  const when = attempts === 1 || first === last ? `on ${last}` : `since ${first}, last on ${last}`;
  const before = `[Strata] This very call failed the same way ${formatTimes(attempts)} before, ${when} (.opencode/memory/errors.log).`;
  if (!resolution)
    return `${before} Nothing that resolved it is known: do it in another way rather than once more.`;
  return `${before} What came of it on ${formatDay(resolution.at)}: ${quote(resolution.text, LONGEST_RESOLUTION)}`;
}
