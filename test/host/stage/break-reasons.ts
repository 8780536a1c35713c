/** Why a request with the plugin did not begin with all of the one before: what the plugin's own records say. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { SavingsRecord } from "../../../src/record/savings.js";
import type { PrefixBreak } from "./prefix-breaks.js";

export interface ExplainedBreak extends PrefixBreak {
  /** `undefined` where no record tells of it: such a break must not be. */
  reason: string | undefined;
}

/**
 * Records that change nothing that was sent: what goes before it was ever sent, or stands behind it, and what is only
 * counted.
 */
const HARMLESS = new Set(["spilled", "extended", "inherited", "answer", "background"]);

/** All records under a project's `.opencode/strata` but the machine state, in no order. */
export function readRecords(folder: string): SavingsRecord[] {
  if (!existsSync(folder)) return [];
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return paths
    .filter((path) => path.endsWith(".jsonl") && !path.startsWith("state"))
    .flatMap((path) => readFileSync(join(folder, path), "utf8").split("\n").filter(Boolean))
    .map((line) => JSON.parse(line) as SavingsRecord);
}

/** The breaks with their reasons, from the plugin's records of the same run. */
export function explainBreaks(
  breaks: readonly PrefixBreak[],
  records: readonly SavingsRecord[],
): ExplainedBreak[] {
  return breaks.map((one) => ({ ...one, reason: findReason(one, records) }));
}

/** What was recorded of this session between the two requests. */
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
