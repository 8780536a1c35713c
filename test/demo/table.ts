/** The tables at the end: what each run sent, and where what was moved out lies. */
import { basename } from "node:path";
import { formatCount } from "../../src/format.js";
import type { ModelRequest } from "../host/stage/model-request.js";
import type { Moved } from "./check.js";
import type { Run } from "./play.js";
import { describeCall } from "./progress.js";

/** Input-token units: what a token costs that is written to the prompt cache, read from it, or answered. */
export const PRICE = { uncached: 1.25, cached: 0.1, output: 5 } as const;

interface Row {
  label: string;
  measure: (run: Run) => number;
}

const rows: Row[] = [
  { label: "requests", measure: ({ requests }) => requests.length },
  { label: "tokens sent", measure: ({ requests }) => sum(requests, "promptTokens") },
  { label: "  from the prompt cache", measure: ({ requests }) => sum(requests, "cachedTokens") },
  { label: "  not cached", measure: ({ requests }) => sumUncached(requests) },
  { label: "tokens answered", measure: ({ requests }) => sum(requests, "outputTokens") },
  {
    label: "largest request",
    measure: ({ requests }) => Math.max(...requests.map(({ promptTokens }) => promptTokens)),
  },
  { label: "price, in input tokens", measure: ({ requests }) => priceOf(requests) },
];

/** The two runs side by side. */
export function formatComparison(bare: Run, strata: Run): string {
  const measured = rows.map(({ label, measure }) => [
    label,
    formatCount(measure(bare)),
    formatCount(measure(strata)),
    (measure(strata) / measure(bare)).toFixed(2),
  ]);
  const seconds = ["seconds, start included", bare.seconds.toFixed(1), strata.seconds.toFixed(1), ""];
  return formatColumns([["", "bare OpenCode", "with Strata", "ratio"], ...measured, seconds], [1, 2, 3]);
}

/** What was moved out, one result a line: the call, bytes before and after, the file's name. */
export function formatMoved(moved: readonly Moved[], projectPath: string): string {
  const lines = moved.map((one) => [
    describeCall(one, projectPath),
    formatCount(one.bytes),
    formatCount(one.sentBytes),
    basename(one.file),
  ]);
  return formatColumns([["result of", "bytes", "preview", "file"], ...lines], [1, 2]);
}

/** Pads the columns to a table; those in `right` are aligned to the right. */
function formatColumns(table: readonly string[][], right: readonly number[]): string {
  const widths = (table[0] ?? []).map((_, column) =>
    Math.max(...table.map((row) => row[column]?.length ?? 0)),
  );
  const pad = (cell: string, column: number): string =>
    right.includes(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0);
  return table.map((row) => `  ${row.map(pad).join("   ")}`.trimEnd()).join("\n");
}

function priceOf(requests: readonly ModelRequest[]): number {
  return (
    sumUncached(requests) * PRICE.uncached +
    sum(requests, "cachedTokens") * PRICE.cached +
    sum(requests, "outputTokens") * PRICE.output
  );
}

function sumUncached(requests: readonly ModelRequest[]): number {
  return sum(requests, "promptTokens") - sum(requests, "cachedTokens");
}

function sum(
  requests: readonly ModelRequest[],
  field: "promptTokens" | "cachedTokens" | "outputTokens",
): number {
  return requests.reduce((total, request) => total + request[field], 0);
}
