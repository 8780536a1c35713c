/** A chart of horizontal stacked bars. */
import { formatCount } from "../../format.js";
import {
  CENTRED,
  type ChartFrame,
  drawFrame,
  escapeMarkup,
  formatShort,
  type LegendEntry,
  listTicks,
  type Plot,
  planPlot,
  round,
  text,
} from "./svg.js";

export interface RowChart extends ChartFrame {
  series: readonly { label: string; colour: string }[];
  /** One value for each series. */
  rows: readonly { label: string; values: readonly number[] }[];
}

/** Space for the row labels. */
const LABELS_WIDTH = 104;
/** Between the parts of a bar, so that similar colours stay apart. */
const GAP = 1.5;

/** Each part shows its value as a tooltip, each row its sum at its end. */
export function drawRowChart({ rows, series, ...frame }: RowChart): string {
  const usual = planPlot(frame.size, series.length);
  const plot: Plot = { ...usual, left: LABELS_WIDTH, right: usual.right - 30 };
  const highest = Math.max(1, ...rows.map(({ values }) => sum(values)));
  const x = (value: number): number => round(plot.left + (value / highest) * (plot.right - plot.left));
  const rowHeight = (plot.bottom - plot.top) / Math.max(1, rows.length);
  const drawn = rows.map(({ label, values }, row) => {
    const top = round(plot.top + (row + 0.15) * rowHeight);
    const height = round(rowHeight * 0.7);
    const line = round(top + height / 2 + 4.5);
    const parts = values.map((value, n) => {
      const from = x(sum(values.slice(0, n)));
      const width = round(Math.max(0.5, x(sum(values.slice(0, n + 1))) - from - GAP));
      const title = `${label}, ${series[n]?.label}: ${formatCount(value)}`;
      const fill = series[n]?.colour ?? frame.theme.ink;
      return value === 0
        ? ""
        : `<rect x="${from}" y="${top}" width="${width}" height="${height}" fill="${fill}"><title>${escapeMarkup(title)}</title></rect>`;
    });
    return [
      text({ x: plot.left - 8, y: line }, label, 'text-anchor="end"'),
      ...parts,
      text({ x: x(sum(values)) + 4, y: line }, formatCount(sum(values)), `fill="${frame.theme.faint}"`),
    ].join("");
  });
  return drawFrame({
    frame,
    plot,
    legend: listLegend(series),
    content: [drawCountAxis(plot, frame.theme.grid, highest, x), ...drawn],
  });
}

/** Grid lines with their numbers, whole ones only. */
function drawCountAxis(plot: Plot, grid: string, highest: number, x: (value: number) => number): string {
  return listTicks(highest, plot.right - plot.left > 600 ? 8 : 4)
    .filter(Number.isInteger)
    .map(
      (tick) =>
        `<path d="M${x(tick)} ${plot.top}V${plot.bottom}" stroke="${grid}"/>` +
        text({ x: x(tick), y: plot.bottom + 20 }, formatShort(tick), CENTRED),
    )
    .join("\n");
}

function listLegend(series: RowChart["series"]): LegendEntry[] {
  return series.map(({ colour, label }) => ({
    label,
    sign: ({ x, y }) => `<rect x="${x}" y="${y - 7}" width="26" height="12" fill="${colour}"/>`,
  }));
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
