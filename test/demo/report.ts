/** What stays of the demo beside the plugin's own files: the table as text, the figures as JSON. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ExplainedBreak } from "../host/stage/break-reasons.js";
import type { Figures } from "./figures.js";
import type { Run } from "./play.js";
import { formatBreaks, formatComparison } from "./table.js";

export interface Report {
  bare: Figures;
  strata: Figures;
  breaks: readonly ExplainedBreak[];
}

/** The same story, played without the plugin and with it. */
export interface Runs {
  bare: Run;
  strata: Run;
}

/** Writes `table.txt` and `figures.json` into the folder. */
export async function writeReport(
  folder: string,
  { bare, strata, breaks }: Report,
  runs: Runs,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const table = `${formatComparison(bare, strata)}\n\n${formatBreaks(breaks, breaks.length)}\n`;
  const figures = {
    bare,
    strata,
    breaks: breaks.map(({ request, message, tokensLost, reason }) => ({
      request,
      message,
      tokensLost,
      reason,
    })),
    sizes: { bare: listSizes(runs.bare), strata: listSizes(runs.strata) },
  };
  await writeFile(join(folder, "table.txt"), table);
  await writeFile(join(folder, "figures.json"), `${JSON.stringify(figures, null, 2)}\n`);
}

/** Tokens of each request of the session itself. */
export function listSizes({ requests, sessionID }: Run): number[] {
  return requests
    .filter((request) => request.sessionID === sessionID)
    .map(({ promptTokens }) => promptTokens);
}
