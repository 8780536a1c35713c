/** The tables: what each run came to, where the prefix broke, and where what was moved out lies. */

import { mkdir, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { formatCount } from "../../src/base/format.js";
import type { Style } from "../../src/operations/command.js";
import type { ExplainedBreak } from "../host/stage/break-reasons.js";
import { isSummarizing, type ModelRequest } from "../host/stage/model-request.js";
import { HOST } from "../host/stage/which-host.js";
import type { Moved } from "./check.js";
import { facts, listFacts } from "./facts.js";
import { type Figures, lastRequest } from "./figures.js";
import type { Run } from "./play.js";
import type { Turn, WorkCall } from "./story.js";

interface Row {
  label: string;
  field: keyof Figures;
  digits?: number;
}

const FACTS = Object.keys(facts).length;

const rows: Row[] = [
  { label: "requests", field: "requests" },
  { label: "tokens sent", field: "tokensSent" },
  { label: "  from the prompt cache", field: "cached" },
  { label: "  not cached", field: "uncached" },
  { label: "tokens answered", field: "answered" },
  { label: "largest request", field: "largestRequest" },
  { label: "price, in input tokens", field: "price" },
  { label: "summarizing model calls", field: "summarizing" },
  { label: "requests of other sessions", field: "otherSessions" },
  { label: "prefix breaks", field: "breaks" },
  { label: "looks at what was taken away", field: "looks" },
  { label: `facts in the last request, of ${FACTS}`, field: "factsInView" },
  { label: "  in a new session's first", field: "factsLater" },
  { label: "  in its last, having looked", field: "factsLookedUp" },
  { label: "seconds, start included", field: "seconds", digits: 1 },
  ...(HOST === 1
    ? [{ label: "  waited for the plugin's hooks", field: "hookSeconds" as const, digits: 1 }]
    : []),
  { label: "peak memory (MB)", field: "peakMB" },
];

/** The two runs side by side. */
export function formatComparison(bare: Figures, strata: Figures): string {
  const lines = rows.map(({ label, field, digits = 0 }) => {
    const format = (value: number): string => (digits > 0 ? value.toFixed(digits) : formatCount(value));
    const ratio = bare[field] > 0 ? (strata[field] / bare[field]).toFixed(2) : "";
    return [label, format(bare[field]), format(strata[field]), ratio];
  });
  return formatColumns([["", "bare OpenCode", "with Strata", "ratio"], ...lines], [1, 2, 3]);
}

/** Where a request with the plugin did not begin with all of the one before, and why; so many of them. */
export function formatBreaks(breaks: readonly ExplainedBreak[], shown: number): string {
  if (breaks.length === 0)
    return "  nowhere: every request began with all of the one before it, not a byte changed";
  const lines = breaks
    .slice(0, shown)
    .map(({ request, message, tokensLost, reason = "not recorded" }) => [
      String(request),
      message === -1 ? "tools" : String(message),
      formatCount(tokensLost),
      reason,
    ]);
  const table = formatColumns(
    [["request", "from message", "tokens after it", "reason"], ...lines],
    [0, 1, 2],
  );
  return breaks.length > shown ? `${table}\n  and ${breaks.length - shown} more` : table;
}

/** The planted facts: whether each run's last request still has it, and that of a new session, which has looked. */
export function formatFacts(bare: Run, strata: Run): string {
  const requests = [bare, strata].flatMap((run) => [lastRequest(run), run.later.at(-1)]).map(listFacts);
  const lines = Object.entries(facts).map(([kind, fact]) => [
    kind,
    ...requests.map((kinds) => (kinds.includes(kind) ? "yes" : "no")),
    fact,
  ]);
  return formatColumns([["", "bare", "bare, new", "Strata", "Strata, new"], ...lines]);
}

/** The largest of what was moved out, one result a line: the call, bytes before and after, the file's name. */
export function formatMoved(moved: readonly Moved[], projectPath: string, shown: number): string {
  // Equal results share a file.
  const files = new Map(moved.map((one) => [one.file, one]));
  const largest = [...files.values()].sort((a, b) => b.bytes - a.bytes).slice(0, shown);
  const lines = largest.map((one) => [
    describeCall(one.call, projectPath),
    formatCount(one.bytes),
    formatCount(one.sentBytes),
    basename(one.file),
  ]);
  return formatColumns([["result of", "bytes", "preview", "file"], ...lines], [1, 2]);
}

/** Pads the columns to a table; those in `right` are aligned to the right. */
function formatColumns(table: readonly string[][], right: readonly number[] = []): string {
  const widths = (table[0] ?? []).map((_, column) =>
    Math.max(...table.map((row) => row[column]?.length ?? 0)),
  );
  const pad = (cell: string, column: number): string =>
    right.includes(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0);
  return table.map((row) => `  ${row.map(pad).join("   ")}`.trimEnd()).join("\n");
}

/** Tells the story while it is played: a line a turn. */

const WORDS_WIDTH = 64;
const CALL_WIDTH = 60;

/** What stands over the lines of the turns. */
export function formatHeading(): string {
  return `  turn  ${"the user says".padEnd(WORDS_WIDTH)}  requests   context`;
}

/** Number, the user's words, how many requests the turn took, and the size of the last one in tokens. */
export function formatTurn({ number, user }: Turn, requests: readonly ModelRequest[], style: Style): string {
  const words = shorten(user, WORDS_WIDTH).padEnd(WORDS_WIDTH);
  const context = formatCount(requests.at(-1)?.promptTokens ?? 0).padStart(8);
  const compacted = requests.some(isSummarizing) ? style.yellow("  compacted") : "";
  return `  ${String(number).padStart(4)}  ${words}  ${String(requests.length).padStart(8)}  ${context}${compacted}`;
}

/** The tool and what the call is about: "bash git log -p". Paths are shown relative to the project. */
export function describeCall({ tool, args }: WorkCall, projectPath: string): string {
  const about = args.command ?? args.filePath ?? args.pattern ?? JSON.stringify(args);
  return shorten(`${tool} ${String(about).replaceAll(`${projectPath}/`, "")}`, CALL_WIDTH);
}

function shorten(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, width - 1)}…`;
}

/** What stays of the demo beside the plugin's own files: the table as text, the figures as JSON. */

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
