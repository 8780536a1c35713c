/** The tables of a comparison, in Markdown. */
import { type BillItem, KIND_NAMES, sum, sumBills, writeBill } from "./bill.js";
import type { BlockKind } from "./blocks.js";
import { type Compared, type Comparison, compareModels, judgeClaim, totalRatio } from "./comparison.js";
import { REPORT_PRICE } from "./prices.js";

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
    formatBills(comparisons),
    formatModels(comparisons),
    formatClaims(compared),
  ].join("\n\n");
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
  ]);
  return formatTable(head, rows);
}

/** One line over all sessions. */
export function formatTotal(compared: readonly Compared[]): string {
  const all = (pick: (one: Compared) => number): number => sum(compared.map(pick));
  const price = all(({ strata }) => strata.price);
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
    `hooks ${formatHookTime(compared)}`,
  ];
  return parts.join("; ");
}

function formatHookTime(compared: readonly Compared[]): string {
  const seconds = sum(compared.map(({ strata }) => strata.hookSeconds));
  const requests = sum(compared.map(({ strata }) => strata.requests));
  return `${((1_000 * seconds) / Math.max(1, requests)).toFixed(1)} ms a request`;
}

/** What the money went to, over all sessions, as a share of the bare host's bill. */
function formatBills(comparisons: readonly Comparison[]): string {
  const bill = (arm: "bare" | "strata") =>
    sumBills(comparisons.map((one) => writeBill(one[arm].records, REPORT_PRICE)));
  const [bare, strata] = [bill("bare"), bill("strata")];
  const whole = sum([...bare.values()]);
  const items = [...new Set([...bare.keys(), ...strata.keys()])];
  const amount = (of: typeof bare, item: BillItem): number => of.get(item) ?? 0;
  items.sort((a, b) => amount(bare, b) - amount(bare, a));
  const share = (value: number): string => `${((100 * value) / whole).toFixed(1)} %`;
  const rows = items.map((item) => [
    nameItem(item),
    thousands(amount(bare, item)),
    share(amount(bare, item)),
    thousands(amount(strata, item)),
    share(amount(strata, item)),
  ]);
  return formatTable(["paid for", "b", "of b", "s", "of b"], rows);
}

function nameItem(item: BillItem): string {
  const [kind = "", how] = item.split(" ");
  return kind in KIND_NAMES ? `${KIND_NAMES[kind as BlockKind]}, ${how}` : item;
}

/** The same requests at the prices of real models. */
function formatModels(comparisons: readonly Comparison[]): string {
  const rows = compareModels(comparisons).map(({ model, bare, strata, ratio: prefix, lookBackRatio }) => [
    model,
    `$${bare.toFixed(2)}`,
    `$${strata.toFixed(2)}`,
    ratio(prefix),
    lookBackRatio === undefined ? "" : ratio(lookBackRatio),
  ]);
  return formatTable(["prices of", "b", "s", "ratio", "with 20-block look-back"], rows);
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
