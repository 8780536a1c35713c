/** Finds the recorded reason why a request does not begin with the whole previous one. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { SavingsRecord } from "../../../src/costs/savings.js";
import type { PrefixBreak } from "./prefix-breaks.js";

export interface ExplainedBreak extends PrefixBreak {
  /** `undefined` if no record explains it; such a break is an error. */
  reason: string | undefined;
}

/**
 * Records that change nothing already sent: results moved before they were sent, appended texts, and mere counts.
 */
const HARMLESS = new Set([
  ...["spilled", "extended", "answer", "background"],
  ...["expanded", "pinned", "unpinned"],
]);

/** All records under a project's `.opencode/strata` except the machine state, unordered. */
export function readRecords(folder: string): SavingsRecord[] {
  if (!existsSync(folder)) return [];
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return paths
    .filter((path) => path.endsWith(".jsonl") && !path.startsWith("state"))
    .flatMap((path) => readFileSync(join(folder, path), "utf8").split("\n").filter(Boolean))
    .map((line) => JSON.parse(line) as SavingsRecord);
}

/** The breaks with their reasons from the plugin's records of the same run. */
export function explainBreaks(
  breaks: readonly PrefixBreak[],
  records: readonly SavingsRecord[],
): ExplainedBreak[] {
  return breaks.map((one) => ({ ...one, reason: findReason(one, records) }));
}

/** Records of this session between the two requests. */
function findReason({ earlier, later }: PrefixBreak, records: readonly SavingsRecord[]): string | undefined {
  const between = records.filter(({ event, session, time }) => {
    const at = Date.parse(time);
    return !HARMLESS.has(event) && session === later.sessionID && at >= earlier.at && at <= later.at;
  });
  const reasons = between.map(({ layer, event, reason }) =>
    [`${layer}: ${event}`, reason].filter(Boolean).join(", "),
  );
  return reasons.length > 0 ? [...new Set(reasons)].join("; ") : undefined;
}
