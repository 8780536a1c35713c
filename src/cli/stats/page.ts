/**
 * The page of `strata stats --html`: self-contained, no network requests. Each chart comes in two sizes, for wide and
 * narrow screens, and as a table for screen readers and keyboard users.
 */
import { formatCount } from "../../format.js";
import { formatWorth, isLoss } from "../../status/format-saved.js";
import { drawBarChart } from "./bar-chart.js";
import type { DayFigures, Figures, SessionFigures } from "./figures.js";
import { drawLineChart } from "./line-chart.js";
import { ages, type TypeFigures } from "./memory-figures.js";
import { drawRowChart } from "./row-chart.js";
import { escapeMarkup, type Size, type Theme } from "./svg.js";

export interface PageOptions {
  /** The project's folder. */
  project: string;
  /** ISO 8601. */
  made: string;
  figures: Figures;
  /** Memories by type and age. */
  memories: readonly TypeFigures[];
}

/** A chart and its table. */
interface Picture {
  title: string;
  draw(size: Size): string;
  table: { head: readonly string[]; rows: readonly (readonly string[])[] };
}

const WIDE: Size = { width: 1_000, height: 460 };
const NARROW: Size = { width: 360, height: 400 };
/** CSS variables, so that one picture serves light and dark. */
const THEME: Theme = { ink: "var(--ink)", faint: "var(--faint)", grid: "var(--grid)", paper: "var(--paper)" };
const BLUE = "var(--blue)";
const RED = "var(--red)";
/** Youngest first. */
const AGES = ages.map((_, index) => `var(--age${index})`);
const MOST_SESSIONS = 5;
const MOST_DAYS = 30;
const MOST_ROWS = 100;

export function formatPage({ figures, made, memories, project }: PageOptions): string {
  const sessions = figures.sessions.filter(({ requests }) => requests.length > 0).slice(0, MOST_SESSIONS);
  const pictures = [
    ...(figures.days.length > 0 ? [describeDays(figures.days.slice(-MOST_DAYS))] : []),
    ...(memories.length > 0 ? [describeMemories(memories)] : []),
    ...sessions.map(describeContext),
  ];
  const nothing = "<p>Nothing has been recorded yet. Come back after some work in OpenCode.</p>";
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
${formatTotals(figures)}
${pictures.length > 0 ? pictures.map(formatPicture).join("\n") : nothing}
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
h1{font-size:1.5rem;margin:.5rem 0}
dl{display:grid;grid-template-columns:repeat(auto-fit,minmax(150px,1fr));gap:12px;margin:16px 0}
dl div{border:1px solid var(--line);border-radius:8px;padding:8px 12px}
dt{color:var(--faint);font-size:.85rem}dd{margin:0;font-size:1.2rem;font-variant-numeric:tabular-nums}
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

function formatTotals({ sessions, totals }: Figures): string {
  const { cached, cacheLost, net, sent, tokensFreed } = totals;
  const share = sent === 0 ? 0 : Math.round((cached / sent) * 100);
  const entries = [
    [
      isLoss(totals) ? "Cost more" : "Saved",
      formatWorth(totals),
      `${formatCount(net)} tokens of input, against OpenCode alone`,
    ],
    ["Sent", `${formatCount(sent)} tokens`, `${share} % from the cache`],
    ["Left the context", `${formatCount(tokensFreed)} tokens`, "not sent again"],
    ["Cache lost", `${formatCount(cacheLost)} tokens`, "written to it again"],
    ["Sessions", formatCount(sessions.length), "in this project"],
  ];
  const cards = entries.map(
    ([term, text, more]) => `<div><dt>${term}</dt><dd>${text}<small>${more}</small></dd></div>`,
  );
  return `<dl>${cards.join("")}</dl>`;
}

function describeDays(days: readonly DayFigures[]): Picture {
  const title = "Tokens freed against cache lost";
  return {
    title,
    draw: (size) =>
      drawBarChart({
        title,
        description:
          "Tokens that left the context, and cached tokens that had to be written again because of it",
        size,
        theme: THEME,
        labels: { x: "day", y: "tokens" },
        series: [
          { label: "freed", colour: BLUE },
          { label: "cache lost", colour: RED },
        ],
        groups: days.map(({ day, totals }) => ({
          label: day.slice(5),
          values: [totals.tokensFreed, totals.cacheLost],
        })),
      }),
    table: {
      head: ["Day", "Freed, tokens", "Cache lost, tokens", "Sent, tokens", "Saved, tokens of input"],
      rows: days.map(({ day, totals: { cacheLost, net, sent, tokensFreed } }) => [
        day,
        ...[tokensFreed, cacheLost, sent, net].map(formatCount),
      ]),
    },
  };
}

function describeMemories(types: readonly TypeFigures[]): Picture {
  const title = "Memories by type and age";
  return {
    title,
    draw: ({ width }) =>
      drawRowChart({
        title,
        description: "Number of memories by type and age",
        size: { width, height: width === NARROW.width ? 270 + types.length * 26 : 180 + types.length * 32 },
        theme: THEME,
        labels: { x: "memories", y: "" },
        series: ages.map(({ label }, index) => ({ label, colour: AGES[index] ?? BLUE })),
        rows: types.map(({ counts, type }) => ({ label: type, values: counts })),
      }),
    table: {
      head: ["Type", ...ages.map(({ label }) => label), "All"],
      rows: types.map(({ counts, total, type }) => [type, ...[...counts, total].map(formatCount)]),
    },
  };
}

function describeContext({ lastUsed, replacements, requests, sessionID }: SessionFigures): Picture {
  const title = `Context per request, ${sessionID}`;
  const sent = requests.map((request) => request.sent);
  const without = requests.map((request) => request.sent + request.keptOut);
  return {
    title,
    draw: (size) =>
      drawLineChart({
        title: size === NARROW ? `Context, ${sessionID.slice(0, 24)}` : title,
        description: `Tokens of each request, and an estimate without Strata; last used ${lastUsed.slice(0, 10)}`,
        size,
        theme: THEME,
        labels: { x: "request", y: "tokens" },
        lines: [
          { label: "without Strata (estimate)", colour: RED, sizes: without, isEstimate: true },
          {
            label: "sent",
            colour: BLUE,
            sizes: sent,
            marks: { label: "history replaced", requests: replacements },
          },
        ],
      }),
    table: {
      head: ["Request", "Sent, tokens", "Kept out, tokens"],
      rows: requests
        .map((request, index) => [index + 1, request.sent, request.keptOut].map(formatCount))
        .slice(-MOST_ROWS),
    },
  };
}

function formatPicture({ draw, table, title }: Picture): string {
  const cells = (row: readonly string[], tag: string) =>
    row.map((text) => `<${tag}>${escapeMarkup(text)}</${tag}>`).join("");
  const rows = table.rows.map((row) => `<tr>${cells(row, "td")}</tr>`).join("\n");
  return `<figure aria-label="${escapeMarkup(title)}">
<div class="wide">${draw(WIDE)}</div><div class="narrow">${draw(NARROW)}</div>
<details><summary>${escapeMarkup(title)}, as a table</summary>
<div class="scroll" tabindex="0" role="region" aria-label="${escapeMarkup(title)}, table">
<table><thead><tr>${cells(table.head, "th")}</tr></thead><tbody>
${rows}
</tbody></table></div></details>
</figure>`;
}
