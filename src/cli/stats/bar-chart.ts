/** A bar chart with groups of bars side by side. */
import { formatCount } from "../../format.js";
import {
  CENTRED,
  type ChartFrame,
  createValueScale,
  drawFrame,
  drawValueAxis,
  escapeMarkup,
  type LegendEntry,
  planPlot,
  round,
  text,
} from "./svg.js";

export interface BarChart extends ChartFrame {
  series: readonly { label: string; colour: string }[];
  /** One value for each series. */
  groups: readonly { label: string; values: readonly number[] }[];
}

/** Space for a label. */
const LABEL_WIDTH = 74;

/** Each bar shows its value as a tooltip. */
export function drawBarChart({ groups, series, ...frame }: BarChart): string {
  const plot = planPlot(frame.size, series.length);
  const highest = groups.reduce((most, { values }) => Math.max(most, ...values), 0);
  const y = createValueScale(plot, highest);
  const groupWidth = (plot.right - plot.left) / Math.max(1, groups.length);
  const barWidth = Math.min(40, (groupWidth * 0.8) / Math.max(1, series.length));
  const labelEvery = Math.ceil(LABEL_WIDTH / groupWidth);
  const bars = groups.flatMap(({ label, values }, index) => {
    const middle = plot.left + (index + 0.5) * groupWidth;
    const first = middle - (barWidth * series.length) / 2;
    const drawn = series.map(({ colour, label: name }, n) => {
      const value = values[n] ?? 0;
      const title = `${label}, ${name}: ${formatCount(value)}`;
      return `<rect x="${round(first + n * barWidth)}" y="${y(value)}" width="${round(barWidth * 0.92)}" height="${round(plot.bottom - y(value))}" fill="${colour}"><title>${escapeMarkup(title)}</title></rect>`;
    });
    const isLabelled = index % labelEvery === 0;
    return isLabelled ? [...drawn, text({ x: round(middle), y: plot.bottom + 20 }, label, CENTRED)] : drawn;
  });
  const legend: LegendEntry[] = series.map(({ colour, label }) => ({
    label,
    sign: ({ x, y: top }) => `<rect x="${x}" y="${top - 7}" width="26" height="12" fill="${colour}"/>`,
  }));
  return drawFrame({ frame, plot, legend, content: [drawValueAxis(plot, frame.theme, highest, y), ...bars] });
}
