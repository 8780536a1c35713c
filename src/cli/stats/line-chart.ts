/** A line chart of context sizes, one point for each request. */
import { formatCount } from "../../format.js";
import {
  CENTRED,
  type ChartFrame,
  createValueScale,
  drawFrame,
  drawValueAxis,
  type LegendEntry,
  listTicks,
  type Plot,
  type Point,
  planPlot,
  round,
  text,
} from "./svg.js";

export interface Line {
  label: string;
  colour: string;
  /** Tokens of each request. */
  sizes: readonly number[];
  /** Drawn dashed, to be told apart without colour. */
  isEstimate?: boolean;
  marks?: { label: string; requests: readonly number[] };
}

export interface LineChart extends ChartFrame {
  lines: readonly Line[];
  /** A limit, drawn dotted. */
  limit?: number;
}

/** More points than pixels add nothing; each stretch keeps its largest. */
const MOST_POINTS = 600;

interface Scale {
  x(request: number): number;
  y(tokens: number): number;
}

/** Requests are numbered from 1. */
export function drawLineChart({ lines, limit = 0, ...frame }: LineChart): string {
  const { theme } = frame;
  const plot = planPlot(frame.size, listLegend(lines).length);
  const requests = Math.max(2, ...lines.map(({ sizes }) => sizes.length));
  const highest = lines.reduce((most, { sizes }) => sizes.reduce((a, b) => Math.max(a, b), most), limit);
  const values = createValueScale(plot, [highest]);
  const scale: Scale = {
    x: (request) => round(plot.left + ((request - 1) / (requests - 1)) * (plot.right - plot.left)),
    y: values.y,
  };
  const dotted = `<path d="M${plot.left} ${scale.y(limit)}H${plot.right}" stroke="${theme.faint}" stroke-dasharray="2 4"/>`;
  return drawFrame({
    frame,
    plot,
    legend: listLegend(lines),
    content: [
      drawValueAxis(plot, theme, values),
      drawRequests(plot, requests, scale),
      ...(limit > 0 ? [dotted] : []),
      ...lines.map((line) => drawLine(line, plot, scale)),
    ],
  });
}

function drawRequests(plot: Plot, requests: number, scale: Scale): string {
  const wanted = plot.right - plot.left > 600 ? 10 : 4;
  const ticks = listTicks(requests, wanted).map((tick) => Math.max(1, tick));
  return [...new Set(ticks)]
    .filter(Number.isInteger)
    .map((request) => text({ x: scale.x(request), y: plot.bottom + 20 }, formatCount(request), CENTRED))
    .join("\n");
}

function drawLine({ colour, isEstimate = false, marks, sizes }: Line, plot: Plot, scale: Scale): string {
  const [only] = sizes;
  // A line of one point would be invisible.
  if (only !== undefined && sizes.length === 1) return drawPoint({ x: scale.x(1), y: scale.y(only) }, colour);
  const points = thinOut(sizes).map(({ tokens, request }) => `${scale.x(request)},${scale.y(tokens)}`);
  const crosses = (marks?.requests ?? []).map((request) => drawMark(scale.x(request), colour, plot));
  const line = `<polyline points="${points.join(" ")}" fill="none" stroke="${colour}" stroke-width="2" stroke-linejoin="round"${formatDash(isEstimate)}/>`;
  return [...crosses, line].join("\n");
}

/** The largest point of each stretch. */
function thinOut(sizes: readonly number[]): { tokens: number; request: number }[] {
  const stretch = Math.ceil(sizes.length / MOST_POINTS);
  const points: { tokens: number; request: number }[] = [];
  for (const [index, tokens] of sizes.entries()) {
    const last = points.at(-1);
    if (index % stretch === 0 || !last) points.push({ tokens, request: index + 1 });
    else if (tokens > last.tokens) points[points.length - 1] = { tokens, request: index + 1 };
  }
  return points;
}

/** A dashed line through the plot, with a triangle at its top. */
function drawMark(x: number, colour: string, { top, bottom }: Plot): string {
  return `<path d="M${x} ${top}V${bottom}" stroke="${colour}" stroke-dasharray="5 4" opacity="0.55"/>
${triangle({ x, y: top }, colour)}`;
}

function listLegend(lines: readonly Line[]): LegendEntry[] {
  return lines.flatMap(({ colour, isEstimate = false, label, marks }) => [
    {
      label,
      sign: ({ x, y }: Point) =>
        `<path d="M${x} ${y}h26" stroke="${colour}" stroke-width="3"${formatDash(isEstimate)}/>`,
    },
    ...(marks && marks.requests.length > 0
      ? [{ label: marks.label, sign: ({ x, y }: Point) => triangle({ x: x + 13, y: y - 5 }, colour) }]
      : []),
  ]);
}

function drawPoint({ x, y }: Point, colour: string): string {
  return `<circle cx="${x}" cy="${y}" r="5" fill="${colour}"/>`;
}

const formatDash = (isDashed: boolean): string => (isDashed ? ' stroke-dasharray="7 4"' : "");

function triangle({ x, y }: Point, colour: string): string {
  return `<path d="M${round(x - 6)} ${y}h12l-6 10z" fill="${colour}"/>`;
}
