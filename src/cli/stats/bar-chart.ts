/** A bar chart with groups of bars side by side. */
import { formatCount } from "../../format.js";
import {
  CENTRED,
  type ChartFrame,
  createValueScale,
  drawFrame,
  drawValueAxis,
  escapeMarkup,
  formatShort,
  type LegendEntry,
  planPlot,
  round,
  text,
} from "./svg.js";

export interface BarChart extends ChartFrame {
  series: readonly { label: string; colour: string }[];
  /** One value for each series; a negative one is a bar below the line of zero. */
  groups: readonly { label: string; values: readonly number[] }[];
  /** Writes a value in a tooltip, and on the axis. Default: whole numbers. */
  formats?: { exact(value: number): string; short(value: number): string };
}

const COUNTS = { exact: formatCount, short: formatShort };
/** Space for a label. */
const LABEL_WIDTH = 74;

/** Each bar shows its value as a tooltip. */
export function drawBarChart({ groups, series, formats = COUNTS, ...frame }: BarChart): string {
  const plot = planPlot(frame.size, series.length);
  const scale = createValueScale(
    plot,
    groups.flatMap(({ values }) => values),
    formats.short,
  );
  const { y } = scale;
  const groupWidth = (plot.right - plot.left) / Math.max(1, groups.length);
  const barWidth = Math.min(40, (groupWidth * 0.8) / Math.max(1, series.length));
  const labelEvery = Math.ceil(LABEL_WIDTH / groupWidth);
  const bars = groups.flatMap(({ label, values }, index) => {
    const middle = plot.left + (index + 0.5) * groupWidth;
    const first = middle - (barWidth * series.length) / 2;
    const drawn = series.map(({ colour, label: name }, n) => {
      const value = values[n] ?? 0;
      const title = `${label}, ${name}: ${formats.exact(value)}`;
      const [top, bottom] = [y(Math.max(0, value)), y(Math.min(0, value))];
      return `<rect x="${round(first + n * barWidth)}" y="${top}" width="${round(barWidth * 0.92)}" height="${round(bottom - top)}" fill="${colour}"><title>${escapeMarkup(title)}</title></rect>`;
    });
    const isLabelled = index % labelEvery === 0;
    return isLabelled ? [...drawn, text({ x: round(middle), y: plot.bottom + 20 }, label, CENTRED)] : drawn;
  });
  const legend: LegendEntry[] = series.map(({ colour, label }) => ({
    label,
    sign: ({ x, y: top }) => `<rect x="${x}" y="${top - 7}" width="26" height="12" fill="${colour}"/>`,
  }));
  return drawFrame({ frame, plot, legend, content: [drawValueAxis(plot, frame.theme, scale), ...bars] });
}
