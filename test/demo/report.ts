/** What stays of the demo beside the plugin's own files: the table as text, the figures as JSON, the chart. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { drawLineChart, type Line } from "../../src/cli/stats/line-chart.js";
import { lightTheme } from "../../src/cli/stats/svg.js";
import type { ExplainedBreak } from "../host/stage/break-reasons.js";
import { isSummarizing, type ModelRequest } from "../host/stage/model-request.js";
import type { Figures } from "./figures.js";
import type { Run } from "./play.js";
import { formatBreaks, formatComparison } from "./table.js";

const WINDOW_TOKENS = 200_000;

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

/** Writes `table.txt`, `figures.json` and `context.svg` into the folder. */
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
  await writeFile(join(folder, "context.svg"), drawContext(runs));
}

/** The chart: how large each request of the session was. */
export function drawContext({ bare, strata }: Runs): string {
  return drawLineChart({
    title: "Context of the same 40 turns, request by request",
    description:
      "The real OpenCode with a scripted model; 4 bytes count as 1 token; dotted: the model's window",
    size: { width: 1_000, height: 520 },
    theme: lightTheme,
    labels: { x: "request", y: "tokens of the request" },
    limit: WINDOW_TOKENS,
    lines: [describeLine(bare, "bare OpenCode", "#c0504d"), describeLine(strata, "with Strata", "#1f6fb4")],
  });
}

function describeLine(run: Run, label: string, colour: string): Line {
  const own = ownRequests(run);
  const numbers = own.flatMap((request, index) => (isSummarizing(request) ? [index + 1] : []));
  return {
    label,
    colour,
    sizes: own.map(({ promptTokens }) => promptTokens),
    marks: { label: `${label}: compaction`, requests: numbers },
  };
}

function listSizes(run: Run): number[] {
  return ownRequests(run).map(({ promptTokens }) => promptTokens);
}

/** The requests of the session itself. */
function ownRequests({ requests, sessionID }: Run): ModelRequest[] {
  return requests.filter((request) => request.sessionID === sessionID);
}
