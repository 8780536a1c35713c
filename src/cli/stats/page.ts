/**
 * The page of `strata stats --html`: self-contained, no network requests. What was saved comes first, as a share; then
 * the sessions with and without Strata, then money, then the ledger. Each chart comes in two sizes, for wide and narrow
 * screens, and as a table for screen readers and keyboard users.
 */
import { formatCount, formatMoney, formatPercent, formatTokens } from "../../format.js";
import { formatWorth, isLoss } from "../../screen/format-figures.js";
import { findCacheShare } from "../../screen/ledger-sums.js";
import { type Figures, findMeanContext } from "./figures.js";
import type { TypeFigures } from "./memory-figures.js";
import {
  describeContext,
  describeDays,
  describeMemories,
  formatDifference,
  listSessions,
  NARROW,
  type Picture,
  WIDE,
} from "./pictures.js";
import { escapeMarkup } from "./svg.js";

export interface PageOptions {
  /** The project's folder. */
  project: string;
  /** ISO 8601. */
  made: string;
  figures: Figures;
  /** Memories by type and age. */
  memories: readonly TypeFigures[];
}

/** So many sessions have a chart each. If there are more, the newest have one, and a list has all. */
const MOST_CHARTS = 5;
const CHARTS_BESIDE_LIST = 2;

export function formatPage({ figures, made, memories, project }: PageOptions): string {
  const sessions = figures.sessions.filter(({ requests }) => requests.length > 0);
  const isList = sessions.length > MOST_CHARTS;
  const contexts = sessions.slice(0, isList ? CHARTS_BESIDE_LIST : MOST_CHARTS).map(describeContext);
  const others = [
    ...describeDays(figures.days),
    ...(memories.length > 0 ? [describeMemories(memories)] : []),
  ];
  const nothing = "<p>Nothing has been recorded yet. Come back after some work in OpenCode.</p>";
  const parts = [
    ...contexts.map(formatPicture),
    ...(isList ? [formatSessions(figures, sessions.length)] : []),
    ...others.map(formatPicture),
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="color-scheme" content="light dark">
<title>Strata: what was saved</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>Strata: what was saved</h1>
<p>${escapeMarkup(project)}, ${escapeMarkup(made.slice(0, 16).replace("T", " "))} UTC</p>
${formatTiles(figures)}
${parts.length > 0 ? parts.join("\n") : nothing}
<p class="note">Sent tokens are the provider's count. What OpenCode alone would have sent is an estimate: its context
grows by the same messages, and it summarises when its window is full. Savings are in dollars, or in tokens of input, with
each model's own prices; where they are unknown, cache writes count 1.25, cache reads 0.1, output 5.</p>
</main>
</body>
</html>
`;
}

const STYLE = `
:root{--ink:#222;--faint:#5c5c5c;--grid:#e4e4e4;--paper:#fff;--blue:#1f6fb4;--red:#c0504d;--line:#d0d0d0;
--age0:#0b4f8a;--age1:#2f7fc1;--age2:#6aa9da;--age3:#a3c9e8;--age4:#c9c9c9}
@media (prefers-color-scheme:dark){:root{--ink:#e8e8e8;--faint:#a8a8a8;--grid:#333;--paper:#161616;--blue:#6db3f2;--red:#ef8a80;--line:#444;
--age0:#a8d4fa;--age1:#6db3f2;--age2:#3f88c9;--age3:#2a608f;--age4:#5a5a5a}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
main{max-width:1040px;margin:0 auto;padding:16px}
h1{font-size:1.5rem;margin:.5rem 0}h2{font-size:1.15rem;margin:24px 0 8px}
dl{display:grid;grid-template-columns:repeat(auto-fit,minmax(150px,1fr));gap:12px;margin:16px 0}
dl div{border:1px solid var(--line);border-radius:8px;padding:8px 12px}
dt{color:var(--faint);font-size:.85rem}dd{margin:0;font-size:1.5rem;font-variant-numeric:tabular-nums}
dd small{display:block;color:var(--faint);font-size:.85rem}
figure{margin:24px 0}svg{display:block;max-width:100%;height:auto}
.narrow{display:none}
@media (max-width:700px){.wide{display:none}.narrow{display:block}}
summary{cursor:pointer;padding:8px 0}
summary:focus-visible,.scroll:focus-visible{outline:3px solid var(--blue);outline-offset:2px}
.scroll{overflow-x:auto}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}
th,td{padding:4px 10px;border-bottom:1px solid var(--line);text-align:right}th:first-child,td:first-child{text-align:left}
.note{color:var(--faint);font-size:.9rem}
`;

type Tile = readonly [term: string, value: string, more: string];

/** Shares first: they mean something without knowing how much work it was. */
function formatTiles(figures: Figures): string {
  const { sessions, totals } = figures;
  const requests = sessions.reduce((sum, session) => sum + session.requests.length, 0);
  const cache = findCacheShare(totals);
  const { cacheLost, tokensFreed } = totals;
  const tiles: Tile[] = [
    describeSaved(figures),
    describeMean(figures),
    [
      "From the cache",
      cache === undefined ? "-" : formatPercent(cache),
      `of ${formatTokens(totals.sent)} tokens sent`,
    ],
    [
      "Left the context",
      `${formatTokens(tokensFreed)} tokens`,
      `${formatTokens(cacheLost)} of cache lost for it`,
    ],
    ["Sessions", formatCount(sessions.length), `${formatCount(requests)} requests`],
  ];
  const drawn = tiles.map(
    ([term, value, more]) =>
      `<div><dt>${term}</dt><dd>${escapeMarkup(value)}<small>${escapeMarkup(more)}</small></dd></div>`,
  );
  return `<dl>${drawn.join("")}</dl>`;
}

function describeSaved({ saved }: Figures): Tile {
  const { dollars, share } = saved;
  if (isLoss(saved)) {
    const spent = dollars === undefined ? `${formatTokens(-saved.tokens)} tokens` : formatMoney(-dollars);
    return ["Not paid back yet", spent, "spent so far, against OpenCode alone"];
  }
  const worth = `${formatWorth(saved)} less than OpenCode alone`;
  if (share !== undefined) return ["Saved", formatPercent(share), worth];
  return ["Saved", dollars === undefined ? formatTokens(saved.tokens) : formatMoney(dollars), worth];
}

function describeMean({ sessions }: Figures): Tile {
  const mean = findMeanContext(sessions);
  if (!mean) return ["Context", "-", "no request yet"];
  const { now, without } = mean;
  const sizes = `${formatTokens(now)} tokens a request instead of ${formatTokens(without)}`;
  return ["Context", formatDifference(now, without), sizes];
}

function formatPicture({ draw, table, title }: Picture): string {
  return `<figure aria-label="${escapeMarkup(title)}">
<div class="wide">${draw(WIDE)}</div><div class="narrow">${draw(NARROW)}</div>
<details><summary>${escapeMarkup(title)}, as a table</summary>
${formatTable(table, title)}</details>
</figure>`;
}

function formatSessions(figures: Figures, count: number): string {
  const title = `All ${formatCount(count)} sessions`;
  return `<section><h2>${title}</h2>\n${formatTable(listSessions(figures), title)}</section>`;
}

function formatTable({ head, rows }: Picture["table"], title: string): string {
  const cells = (row: readonly string[], tag: string) =>
    row.map((text) => `<${tag}>${escapeMarkup(text)}</${tag}>`).join("");
  const lines = rows.map((row) => `<tr>${cells(row, "td")}</tr>`).join("\n");
  return `<div class="scroll" tabindex="0" role="region" aria-label="${escapeMarkup(title)}, table">
<table><thead><tr>${cells(head, "th")}</tr></thead><tbody>
${lines}
</tbody></table></div>`;
}
