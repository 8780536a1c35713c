/** The tables of a comparison, in Markdown. */

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type Compared,
  type Comparison,
  compare,
  compareModels,
  judgeClaim,
  totalRatio,
} from "./comparison.js";
import { type Figures, measureReplay } from "./figures.js";
import { addNeeds, type Needs } from "./needs.js";
import { sum } from "./prices.js";
import type { Replay } from "./request-record.js";

const millions = (value: number): string => `${(value / 1_000_000).toFixed(2)}M`;
const thousands = (value: number): string => `${Math.round(value / 1_000)}K`;
const ratio = (value: number): string => value.toFixed(3);
const pair = (a: unknown, b: unknown): string => `${a}/${b}`;

/** All tables. */
export function formatReport(comparisons: readonly Comparison[], compared: readonly Compared[]): string {
  return [
    "b: bare OpenCode, s: with Strata. Price in tokens of input: not cached 1.25, cached 0.1, answered 5.",
    formatSessions(compared),
    formatTotal(compared),
    formatModels(comparisons),
    formatClaims(compared),
  ].join("\n\n");
}

/** One row an arm, over all sessions. */
export function formatArms(arms: ReadonlyMap<string, readonly Replay[]>): string {
  const head = [
    "arm",
    "price",
    "of bare",
    "dearest session",
    "upper",
    "sent",
    "uncached",
    "look-ups",
    "leaning answers",
    "seconds",
  ];
  const measured = [...arms].map(([arm, replays]) => ({ arm, figures: replays.map(measureReplay) }));
  const bare = measured[0]?.figures ?? [];
  const total = (figures: readonly Figures[], field: Exclude<keyof Figures, "needs">): number =>
    sum(figures.map((one) => one[field]));
  const rows = measured.map(({ arm, figures }) => [
    arm,
    thousands(total(figures, "price")),
    `**${ratio(total(figures, "price") / total(bare, "price"))}**`,
    ratio(Math.max(...figures.map(({ price }, index) => price / (bare[index]?.price ?? price)))),
    ratio(total(figures, "upperPrice") / total(bare, "price")),
    millions(total(figures, "sent")),
    thousands(total(figures, "uncached")),
    String(total(figures, "looks")),
    String(total(figures, "leaningAnswers")),
    total(figures, "seconds").toFixed(0),
  ]);
  return formatTable(head, rows);
}

/** One row a session. */
export function formatSessions(compared: readonly Compared[]): string {
  const head = [
    "session",
    "requests b/s",
    "sent b/s",
    "uncached b/s",
    "output b/s",
    "price b/s",
    "ratio",
    "upper",
    "summaries b/s",
    "largest b/s",
    "edits",
    "blind b/s",
    "re-reads b/s",
    "leaning b/s",
    "gone b/s of known",
    "lines to edit in sight b/s",
    "paths to read again in sight b/s",
  ];
  const rows = compared.map(({ id, bare: b, strata: s }) => [
    id,
    pair(b.requests, s.requests),
    pair(millions(b.sent), millions(s.sent)),
    pair(thousands(b.uncached), thousands(s.uncached)),
    pair(thousands(b.answered), thousands(s.answered)),
    pair(thousands(b.price), thousands(s.price)),
    `**${ratio(s.price / b.price)}**`,
    ratio(s.upperPrice / b.price),
    pair(b.summaries, s.summaries),
    pair(thousands(b.largestRequest), thousands(s.largestRequest)),
    String(s.edits),
    pair(b.blindEdits, s.blindEdits),
    pair(b.looks, s.looks),
    pair(b.leaningAnswers, s.leaningAnswers),
    `${pair(b.gone, s.gone)} of ${s.known}`,
    ...formatNeeds(b.needs, s.needs),
  ]);
  return formatTable(head, rows);
}

function formatNeeds(bare: Needs, strata: Needs): [lines: string, paths: string] {
  const percent = (part: number, all: number): string => `${((100 * part) / Math.max(1, all)).toFixed(1)} %`;
  return [
    `${pair(percent(bare.linesInSight, bare.lines), percent(strata.linesInSight, strata.lines))} of ${strata.lines}`,
    `${pair(percent(bare.pathsInSight, bare.paths), percent(strata.pathsInSight, strata.paths))} of ${strata.paths}`,
  ];
}

/** One line over all sessions. */
export function formatTotal(compared: readonly Compared[]): string {
  const all = (pick: (one: Compared) => number): number => sum(compared.map(pick));
  const price = all(({ strata }) => strata.price);
  const [lines, paths] = formatNeeds(
    compared.map(({ bare }) => bare.needs).reduce(addNeeds),
    compared.map(({ strata }) => strata.needs).reduce(addNeeds),
  );
  const parts = [
    `total of ${compared.length}: ratio ${ratio(totalRatio(compared))}`,
    `sent ${ratio(totalRatio(compared, "sent"))}`,
    `upper ${ratio(totalRatio(compared, "upperPrice"))}`,
    `price ${pair(thousands(all(({ bare }) => bare.price)), thousands(price))}`,
    `re-reads ${pair(
      all(({ bare }) => bare.looks),
      all(({ strata }) => strata.looks),
    )}, ${((100 * all(({ strata }) => strata.looksPrice)) / price).toFixed(1)} % of the price with Strata`,
    `answers that lean on what is gone ${pair(
      all(({ bare }) => bare.leaningAnswers),
      all(({ strata }) => strata.leaningAnswers),
    )}`,
    `lines to edit in sight ${lines}, paths to read again ${paths}`,
    `hooks ${formatHookTime(compared)}`,
  ];
  return parts.join("; ");
}

function formatHookTime(compared: readonly Compared[]): string {
  const seconds = sum(compared.map(({ strata }) => strata.hookSeconds));
  const requests = sum(compared.map(({ strata }) => strata.requests));
  return `${((1_000 * seconds) / Math.max(1, requests)).toFixed(1)} ms a request`;
}

/** The same requests at the prices of real models. */
function formatModels(comparisons: readonly Comparison[]): string {
  const rows = compareModels(comparisons).map(
    ({ bare, lookBack, model, strata, ratio: { all, dearest } }) => [
      model,
      `$${bare.toFixed(2)}`,
      `$${strata.toFixed(2)}`,
      ...[all, dearest].map(ratio),
      ...(lookBack ? [lookBack.all, lookBack.dearest].map(ratio) : ["", ""]),
    ],
  );
  const head = ["prices of", "b", "s", "ratio", "dearest session", "with 20-block look-back", "dearest"];
  return formatTable(head, rows);
}

/** What the plugin's ledger claims, beside what was saved. */
function formatClaims(compared: readonly Compared[]): string {
  const claims = compared.map((one) => ({ id: one.id, ...judgeClaim(one) }));
  const rows = claims.map(({ claimed, difference, id, isTrue, saved }) => [
    id,
    thousands(claimed),
    thousands(saved),
    `${(100 * difference).toFixed(1)} %`,
    isTrue ? "yes" : "no",
  ]);
  const claimed = sum(claims.map((one) => one.claimed));
  const saved = sum(claims.map((one) => one.saved));
  const total = [
    "total",
    thousands(claimed),
    thousands(saved),
    `${((100 * (claimed - saved)) / saved).toFixed(1)} % of saved`,
    "",
  ];
  const head = ["ledger of", "claimed", "saved", "difference, of b", "sign right, within 25 % or 2 % of b"];
  return formatTable(head, [...rows, total]);
}

function formatTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

/** What stays of a comparison: the tables as Markdown, the figures of each request as JSON. */

/** Writes `sessions.md` and `figures.json` into the folder. Returns the tables. */
export async function writeReport(
  folder: string,
  comparisons: readonly Comparison[],
  description: string,
): Promise<string> {
  const compared = compare(comparisons);
  const tables = formatReport(comparisons, compared);
  const figures = {
    description,
    sessions: compared,
    models: compareModels(comparisons),
    requests: comparisons.map(({ id, bare, strata }) => ({
      id,
      bare: listCounts(bare),
      strata: listCounts(strata),
    })),
  };
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "sessions.md"), `${description}\n\n${tables}\n`);
  await writeFile(join(folder, "figures.json"), `${JSON.stringify(figures, null, 1)}\n`);
  return tables;
}

/** The counts of each request, without its blocks. */
function listCounts({ records }: Replay): object[] {
  return records.map(({ blocks, leaning, ...counts }) => ({
    ...counts,
    blocks: blocks.length,
    ...(leaning && leaning.gone.length > 0 ? { gone: leaning.gone } : {}),
  }));
}
