/**
 * The savings ledger as comma-separated values (RFC 4180): one line per record that counts, oldest first, with a header.
 * The columns are described in docs/files.md. Pure.
 */
import type { SavingsRecord } from "./savings.js";
import { findCounted } from "./sums.js";

interface Line {
  record: SavingsRecord;
  title: string | undefined;
}

type Cell = string | number | undefined;

/** In the order of the columns. New ones are added at the end: programs may read them by number. */
const COLUMNS: readonly (readonly [name: string, read: (line: Line) => Cell])[] = [
  ["time", ({ record }) => record.time],
  ["session", ({ record }) => record.session],
  ["title", ({ title }) => title],
  ["layer", ({ record }) => record.layer],
  ["event", ({ record }) => record.event],
  ["tool", ({ record }) => record.tool],
  ["results", ({ record }) => record.results],
  ["tokens_freed", ({ record }) => record.tokensFreed],
  ["cache_lost", ({ record }) => record.cacheLost],
  ["sent", ({ record }) => record.sent],
  ["cached", ({ record }) => record.cached],
  ["answered", ({ record }) => record.answered],
  [
    "sent_without",
    ({ record: { keptOut, sent } }) => (sent === undefined ? undefined : sent + (keptOut ?? 0)),
  ],
  ["cost", ({ record }) => record.cost],
  ["saved", ({ record }) => record.net],
  ["saved_dollars", ({ record }) => record.money],
  ["reason", ({ record }) => record.reason],
  ["judging", ({ record }) => record.judging],
];

export const CSV_COLUMNS: readonly string[] = COLUMNS.map(([name]) => name);

/** Ends with a line break, as every line does. */
export function formatCsv(
  ledger: ReadonlyMap<string, readonly SavingsRecord[]>,
  titles: ReadonlyMap<string, string>,
): string {
  const lines = [...ledger].flatMap(([sessionID, records]) =>
    findCounted(records).map((record): Line => ({ record, title: titles.get(sessionID) })),
  );
  const rows = lines
    .sort((one, other) => one.record.time.localeCompare(other.record.time))
    .map((line) => COLUMNS.map(([, read]) => read(line)));
  return [CSV_COLUMNS, ...rows].map((row) => `${row.map(formatCell).join(",")}\r\n`).join("");
}

/** A spreadsheet would run a text that begins like a formula; the apostrophe makes it a text. */
const FORMULA = /^[=+\-@\t\r]/;

function formatCell(cell: Cell): string {
  if (typeof cell === "number") return Number.isFinite(cell) ? String(cell) : "";
  const text = FORMULA.test(cell ?? "") ? `'${cell}` : (cell ?? "");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
