/** Parts of charts: a frame with title and legend, axes with round numbers, escaped text. */
import { formatCount, formatTokens } from "../../format.js";

/** Colours as SVG attribute values; CSS variables work too. */
export interface Theme {
  ink: string;
  /** For less important text. */
  faint: string;
  grid: string;
  paper: string;
}

export const lightTheme: Theme = { ink: "#333333", faint: "#666666", grid: "#e4e4e4", paper: "#ffffff" };

export interface Size {
  width: number;
  height: number;
}

/** Common to all charts. */
export interface ChartFrame {
  title: string;
  /** One sentence, also for screen readers. */
  description: string;
  size: Size;
  theme: Theme;
  /** Axis labels with units; empty for an axis of names. */
  labels: { x: string; y: string };
}

/** The area between the axes. */
export interface Plot {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

export interface Point {
  x: number;
  y: number;
}

/** The sign is drawn to the left of the label. */
export interface LegendEntry {
  label: string;
  sign(at: Point): string;
}

export const CENTRED = 'text-anchor="middle"';
const LEGEND_LINE = 20;
/** Title and legend begin at the picture's edge, as the text of the page does. */
const EDGE = 2;
/** Space for the sign of a legend entry, for a character of its label (13 px), and between two entries. */
const LEGEND = { sign: 34, character: 7.2, gap: 22 };
/** Below this width each legend entry has a line of its own. */
const WIDE = 700;

/** Leaves space for title, legend and axes. */
export function planPlot({ width, height }: Size, legendEntries: number): Plot {
  const isWide = width >= WIDE;
  const legendLines = isWide ? 1 : legendEntries;
  return {
    left: isWide ? 90 : 70,
    right: width - (isWide ? 30 : 12),
    top: (isWide ? 70 : 50) + LEGEND_LINE * legendLines,
    bottom: height - 70,
  };
}

export interface DrawFrameOptions {
  frame: ChartFrame;
  plot: Plot;
  legend: readonly LegendEntry[];
  content: readonly string[];
}

export function drawFrame({ content, frame, legend, plot }: DrawFrameOptions): string {
  const { description, labels, size, theme, title } = frame;
  const { width, height } = size;
  const middle = (plot.top + plot.bottom) / 2;
  const isWide = width >= WIDE;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" \
role="img" font-family="Helvetica, Arial, sans-serif" font-size="13" fill="${theme.ink}">
<title>${escapeMarkup(title)}</title>
<desc>${escapeMarkup(description)}</desc>
<rect width="${width}" height="${height}" fill="${theme.paper}"/>
${text({ x: EDGE, y: 30 }, title, `font-size="${isWide ? 18 : 15}" font-weight="bold"`)}
${isWide ? text({ x: EDGE, y: 50 }, description, `fill="${theme.faint}"`) : ""}
${content.join("\n")}
<path d="M${plot.left} ${plot.bottom}H${plot.right}" stroke="${theme.ink}"/>
${text({ x: (plot.left + plot.right) / 2, y: plot.bottom + 45 }, labels.x, CENTRED)}
${labels.y === "" ? "" : text({ x: 18, y: middle }, labels.y, `${CENTRED} transform="rotate(-90 18 ${middle})"`)}
${drawLegend(legend, size)}
</svg>
`;
}

/** On a wide picture one beside the other, as near as their labels allow. */
function drawLegend(entries: readonly LegendEntry[], { width }: Size): string {
  const isWide = width >= WIDE;
  const widthOf = ({ label }: LegendEntry): number =>
    LEGEND.sign + label.length * LEGEND.character + LEGEND.gap;
  const all = entries.reduce((sum, entry) => sum + widthOf(entry), 0);
  const scale = Math.min(1, (width - EDGE) / Math.max(1, all));
  let before = 0;
  return entries
    .map((entry, index) => {
      const { label, sign } = entry;
      const x = isWide ? round(EDGE + before * scale) : EDGE;
      const y = isWide ? 70 : 50 + index * LEGEND_LINE;
      before += widthOf(entry);
      return sign({ x, y }) + text({ x: x + LEGEND.sign, y: y + 4 }, label);
    })
    .join("\n");
}

/** A vertical scale: the range of its values, and how they are written. */
export interface ValueScale {
  /** 0 or less. */
  lowest: number;
  highest: number;
  format(value: number): string;
  y(value: number): number;
}

/** Horizontal grid lines with their numbers. */
export function drawValueAxis(plot: Plot, theme: Theme, { format, highest, lowest, y }: ValueScale): string {
  const below = listTicks(-lowest, lowest < 0 ? 3 : 5).map((value) => -value);
  return [...new Set([...below, ...listTicks(highest, lowest < 0 ? 3 : 5)].map((value) => value || 0))]
    .map(
      (value) =>
        `<path d="M${plot.left} ${y(value)}H${plot.right}" stroke="${theme.grid}"/>` +
        text({ x: plot.left - 8, y: y(value) + 4 }, format(value), 'text-anchor="end"'),
    )
    .join("\n");
}

/** Maps values to y coordinates, with a little space at the ends. */
export function createValueScale(
  plot: Plot,
  values: readonly number[],
  format: (value: number) => string = formatShort,
): ValueScale {
  const highest = values.reduce((most, value) => Math.max(most, value), 0);
  const lowest = values.reduce((least, value) => Math.min(least, value), 0);
  const [top, bottom] = [highest * 1.05, lowest * 1.05];
  const span = top - bottom || 1;
  const y = (value: number): number =>
    round(plot.bottom - ((value - bottom) / span) * (plot.bottom - plot.top));
  return { lowest, highest, format, y };
}

export function text({ x, y }: Point, value: string, attributes = ""): string {
  return `<text x="${x}" y="${y}" ${attributes}>${escapeMarkup(value)}</text>`;
}

/** Round numbers from 0 to `highest`, about as many as wanted. */
export function listTicks(highest: number, wanted: number): number[] {
  if (!(highest > 0)) return [0];
  const rough = highest / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 2.5, 5].find((factor) => factor * power >= rough) ?? 10) * power;
  return Array.from({ length: Math.floor(highest / step) + 1 }, (_, index) => index * step);
}

export function round(value: number): number {
  return Math.round(value * 10) / 10;
}

export function escapeMarkup(value: string): string {
  return value
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

/** 2000000 → "2M", 50000 → "50K", 2000 → "2,000", for axes. */
export function formatShort(value: number): string {
  return Math.abs(value) >= 10_000 ? formatTokens(value) : formatCount(value);
}
