/** The charts of the page, each in two sizes and as a table. */
import { formatCount, formatMoney, formatPercent, formatTokens } from "../../format.js";
import { drawBarChart } from "./bar-chart.js";
import { type DayFigures, type Figures, findMeanContext, type SessionFigures } from "./figures.js";
import { drawLineChart } from "./line-chart.js";
import { ages, type TypeFigures } from "./memory-figures.js";
import { drawRowChart } from "./row-chart.js";
import type { Size, Theme } from "./svg.js";

/** A chart and its table. */
export interface Picture {
  title: string;
  draw(size: Size): string;
  table: { head: readonly string[]; rows: readonly (readonly string[])[] };
}

export const WIDE: Size = { width: 1_000, height: 460 };
export const NARROW: Size = { width: 360, height: 400 };
/** CSS variables, so that one picture serves light and dark. */
const THEME: Theme = { ink: "var(--ink)", faint: "var(--faint)", grid: "var(--grid)", paper: "var(--paper)" };
const BLUE = "var(--blue)";
const RED = "var(--red)";
/** Youngest first. */
const AGES = ages.map((_, index) => `var(--age${index})`);
const MOST_DAYS = 30;
const MOST_ROWS = 100;
/** Characters of a title that fit a narrow chart's. */
const NARROW_TITLE = 24;

/** What left the context, and what was saved: the newest days. */
export function describeDays(days: readonly DayFigures[]): Picture[] {
  const newest = days.slice(-MOST_DAYS);
  return newest.length === 0 ? [] : [describeSaved(newest), describeFreed(newest)];
}

/** In dollars if one day has them. */
function describeSaved(days: readonly DayFigures[]): Picture {
  const isMoney = days.some(({ saved }) => saved.dollars !== undefined);
  const title = isMoney ? "Saved per day, in dollars" : "Saved per day, in tokens of input";
  const savedOn = ({ saved }: DayFigures): number => (isMoney ? (saved.dollars ?? 0) : saved.tokens);
  const formats = isMoney
    ? { exact: formatMoney, short: formatMoney }
    : { exact: formatCount, short: formatTokens };
  return {
    title,
    draw: (size) =>
      drawBarChart({
        title,
        description: "What OpenCode alone would have cost, less what was paid; below zero: not paid back yet",
        size,
        theme: THEME,
        labels: { x: "day", y: isMoney ? "dollars" : "tokens" },
        series: [{ label: "saved", colour: BLUE }],
        groups: days.map((one) => ({ label: one.day.slice(5), values: [savedOn(one)] })),
        formats,
      }),
    table: {
      head: ["Day", "Saved", "Saved, %", "Sent, tokens", "From the cache"],
      rows: days.map((one) => [
        one.day,
        formats.exact(savedOn(one)),
        one.saved.share === undefined ? "-" : formatPercent(one.saved.share),
        formatCount(one.totals.sent),
        formatPercent(one.totals.cached / Math.max(1, one.totals.sent)),
      ]),
    },
  };
}

function describeFreed(days: readonly DayFigures[]): Picture {
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
      head: ["Day", "Freed, tokens", "Cache lost, tokens"],
      rows: days.map(({ day, totals: { cacheLost, tokensFreed } }) => [
        day,
        ...[tokensFreed, cacheLost].map(formatCount),
      ]),
    },
  };
}

export function describeMemories(types: readonly TypeFigures[]): Picture {
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

/** Each request with and without Strata. */
export function describeContext(session: SessionFigures): Picture {
  const { lastUsed, replacements, requests } = session;
  const name = session.title ?? session.sessionID;
  const title = `Context with and without Strata: ${name}`;
  const sent = requests.map((request) => request.sent);
  const without = requests.map((request) => request.sent + request.keptOut);
  return {
    title,
    draw: (size) =>
      drawLineChart({
        title: size === NARROW ? `Context: ${name.slice(0, NARROW_TITLE)}` : title,
        description: `${describeMean(session)}; last used ${lastUsed.slice(0, 10)}`,
        size,
        theme: THEME,
        labels: { x: "request", y: "tokens" },
        lines: [
          { label: "without Strata (estimate)", colour: RED, sizes: without, isEstimate: true },
          {
            label: "with Strata",
            colour: BLUE,
            sizes: sent,
            marks: { label: "history replaced", requests: replacements },
          },
        ],
      }),
    table: {
      head: ["Request", "With, tokens", "Without, tokens", "Difference"],
      rows: requests
        .map((request, index) => [
          ...[index + 1, request.sent, request.sent + request.keptOut].map(formatCount),
          formatDifference(request.sent, request.sent + request.keptOut),
        ])
        .slice(-MOST_ROWS),
    },
  };
}

function describeMean(session: SessionFigures): string {
  const mean = findMeanContext([session]);
  if (!mean) return "Tokens of each request, and an estimate without Strata";
  const { now, without } = mean;
  return `On average ${formatTokens(now)} tokens instead of ${formatTokens(without)} (${formatDifference(now, without)})`;
}

/** "−48 %", "+2 %". */
export function formatDifference(now: number, without: number): string {
  if (without <= 0) return "-";
  const share = now / without - 1;
  return share > 0 && formatPercent(share) !== formatPercent(0)
    ? `+${formatPercent(share)}`
    : formatPercent(share);
}

/** All sessions, newest first: name, requests, context, savings. */
export function listSessions({ sessions }: Figures): Picture["table"] {
  return {
    head: ["Session", "Last used", "Requests", "With, tokens", "Without", "Context", "Saved", "Saved, %"],
    rows: sessions.slice(0, MOST_ROWS).map((session) => {
      const { now, without } = findMeanContext([session]) ?? { now: 0, without: 0 };
      const { dollars, share, tokens } = session.saved;
      return [
        session.title ?? session.sessionID,
        session.lastUsed.slice(0, 10),
        formatCount(session.requests.length),
        formatTokens(now),
        formatTokens(without),
        formatDifference(now, without),
        dollars === undefined ? formatTokens(tokens) : formatMoney(dollars),
        share === undefined ? "-" : formatPercent(share),
      ];
    }),
  };
}
