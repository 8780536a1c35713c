/** The chart of a comparison: what each session cost with the plugin as a share of the bare host, by what was paid for. */
import {
  CENTRED,
  createValueScale,
  drawFrame,
  escapeMarkup,
  type LegendEntry,
  lightTheme,
  type Plot,
  planPlot,
  round,
  text,
} from "../../src/cli/stats/svg.js";
import { type Bill, type BillItem, KIND_NAMES, sum, writeBill } from "./bill.js";
import type { BlockKind } from "./blocks.js";
import type { Comparison } from "./comparison.js";
import { REPORT_PRICE } from "./prices.js";

/** A stretch of a bar, from the bottom up. */
interface Stretch {
  label: string;
  colour: string;
  items: readonly BillItem[];
}

const ofKind = (kind: BlockKind, colour: string): Stretch => ({
  label: KIND_NAMES[kind],
  colour,
  items: [`${kind} read`, `${kind} written`],
});

const STRETCHES: readonly Stretch[] = [
  ofKind("fixed", "#7f7f7f"),
  ofKind("user", "#8c6bb1"),
  ofKind("said", "#41ab5d"),
  ofKind("inputs", "#e08214"),
  ofKind("clearable", "#4292c6"),
  ofKind("others", "#9ecae1"),
  { label: "answers, summaries", colour: "#c0504d", items: ["answered", "summaries", "other sessions"] },
];

/** Wide enough for the legend, and for the names of many sessions. */
const sizeFor = (sessions: number) => ({ width: Math.max(1_200, 120 + 100 * sessions), height: 520 });

/** The bare host's bar is on the left of each pair and has the height 1. */
export function drawComparison(comparisons: readonly Comparison[], description: string): string {
  const size = sizeFor(comparisons.length);
  const plot = planPlot(size, STRETCHES.length);
  const groups = comparisons.map(({ id, bare, strata }) => {
    const bills = [bare, strata].map(({ records }) => writeBill(records, REPORT_PRICE));
    const whole = sum([...(bills[0]?.values() ?? [])]);
    return { id, bars: bills.map((bill) => listShares(bill, whole)) };
  });
  const highest = Math.max(1, ...groups.flatMap(({ bars }) => bars.map(sum)));
  const { y } = createValueScale(plot, [highest]);
  const width = (plot.right - plot.left) / Math.max(1, groups.length);
  const content = groups.flatMap(({ id, bars }, index) => {
    const middle = plot.left + (index + 0.5) * width;
    const label = text({ x: round(middle), y: plot.bottom + 20 }, id, CENTRED);
    return [label, ...bars.flatMap((bar, n) => drawBar(bar, { middle, n, width, y }))];
  });
  const frame = {
    title: "What recorded sessions cost, bare (left) and with Strata (right)",
    description,
    size,
    theme: lightTheme,
    labels: { x: "session", y: "price, bare host = 1" },
  };
  return drawFrame({ frame, plot, legend: listLegend(), content: [drawShares(plot, y), ...content] });
}

function listShares(bill: Bill, whole: number): number[] {
  return STRETCHES.map(({ items }) => sum(items.map((item) => bill.get(item) ?? 0)) / Math.max(1, whole));
}

interface Place {
  middle: number;
  /** 0: left of the middle, 1: right of it. */
  n: number;
  width: number;
  y: (value: number) => number;
}

function drawBar(shares: readonly number[], { middle, n, width, y }: Place): string[] {
  const thickness = Math.min(40, width * 0.35);
  const x = round(n === 0 ? middle - thickness - 2 : middle + 2);
  let below = 0;
  const drawn = shares.map((share, index) => {
    const [bottom, top] = [y(below), y(below + share)];
    below += share;
    const { label = "", colour = "" } = STRETCHES[index] ?? {};
    const title = escapeMarkup(`${label}: ${share.toFixed(2)}`);
    return `<rect x="${x}" y="${top}" width="${round(thickness)}" height="${round(bottom - top)}" fill="${colour}"><title>${title}</title></rect>`;
  });
  return [...drawn, text({ x: x + thickness / 2, y: y(below) - 5 }, below.toFixed(2), CENTRED)];
}

function drawShares(plot: Plot, y: (value: number) => number): string {
  return [0, 0.25, 0.5, 0.75, 1]
    .map(
      (share) =>
        `<path d="M${plot.left} ${y(share)}H${plot.right}" stroke="${lightTheme.grid}"/>` +
        text({ x: plot.left - 8, y: y(share) + 4 }, share.toFixed(2), 'text-anchor="end"'),
    )
    .join("\n");
}

function listLegend(): LegendEntry[] {
  return STRETCHES.map(({ label, colour }) => ({
    label,
    sign: ({ x, y }) => `<rect x="${x}" y="${y - 7}" width="26" height="12" fill="${colour}"/>`,
  }));
}
