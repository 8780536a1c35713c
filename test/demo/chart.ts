/** A chart of context sizes as an SVG of its own: a line a run, a point a request. */
import { formatCount } from "../../src/format.js";

export interface Line {
  label: string;
  colour: string;
  /** Tokens, a request each. */
  sizes: readonly number[];
  marks?: { label: string; requests: readonly number[] };
}

export interface Chart {
  title: string;
  subtitle: string;
  lines: readonly Line[];
  /** The size of the model's window, drawn as a limit. */
  windowTokens: number;
}

const SIZE = { width: 1_000, height: 520 } as const;
const PLOT = { left: 90, right: 970, top: 90, bottom: 450 } as const;
const INK = "#333333";

/** Where a request and a number of tokens are on the paper. */
interface Scale {
  x(request: number): number;
  y(tokens: number): number;
}

/** The whole file. Requests are numbered from 1. */
export function drawChart({ title, subtitle, lines, windowTokens }: Chart): string {
  const requests = Math.max(2, ...lines.map(({ sizes }) => sizes.length));
  const highest = Math.max(windowTokens, ...lines.flatMap(({ sizes }) => sizes));
  const scale: Scale = {
    x: (request) => round(PLOT.left + ((request - 1) / (requests - 1)) * (PLOT.right - PLOT.left)),
    y: (tokens) => round(PLOT.bottom - (tokens / (highest * 1.05)) * (PLOT.bottom - PLOT.top)),
  };
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${SIZE.width} ${SIZE.height}" \
width="${SIZE.width}" height="${SIZE.height}" font-family="Helvetica, Arial, sans-serif" font-size="13" fill="${INK}">
<title>${escapeMarkup(title)}</title>
<rect width="${SIZE.width}" height="${SIZE.height}" fill="#ffffff"/>
${text({ x: PLOT.left, y: 30 }, title, 'font-size="18" font-weight="bold"')}
${text({ x: PLOT.left, y: 50 }, subtitle, 'fill="#666666"')}
${drawAxes({ scale, requests, highest })}
${drawWindow(scale, windowTokens)}
${lines.map((line) => drawLine(line, scale)).join("\n")}
${drawLegend(lines)}
</svg>
`;
}

interface AxesOptions {
  scale: Scale;
  requests: number;
  highest: number;
}

function drawAxes({ scale, requests, highest }: AxesOptions): string {
  const middle = (PLOT.top + PLOT.bottom) / 2;
  const across = listTicks(highest, 5).map(
    (tokens) =>
      `<path d="M${PLOT.left} ${scale.y(tokens)}H${PLOT.right}" stroke="#e4e4e4"/>` +
      text({ x: PLOT.left - 10, y: scale.y(tokens) + 4 }, formatCount(tokens), 'text-anchor="end"'),
  );
  const along = listTicks(requests, 10).map((request) =>
    text(
      { x: scale.x(Math.max(1, request)), y: PLOT.bottom + 20 },
      formatCount(Math.max(1, request)),
      CENTRED,
    ),
  );
  return [
    ...across,
    ...along,
    `<path d="M${PLOT.left} ${PLOT.bottom}H${PLOT.right}" stroke="${INK}"/>`,
    text({ x: (PLOT.left + PLOT.right) / 2, y: PLOT.bottom + 45 }, "request", CENTRED),
    text({ x: 22, y: middle }, "tokens of the request", `${CENTRED} transform="rotate(-90 22 ${middle})"`),
  ].join("\n");
}

const CENTRED = 'text-anchor="middle"';

/** The subtitle says what it is: a label on it would lie under the marks. */
function drawWindow(scale: Scale, tokens: number): string {
  const y = scale.y(tokens);
  return `<path d="M${PLOT.left} ${y}H${PLOT.right}" stroke="#999999" stroke-dasharray="2 4"/>`;
}

function drawLine({ colour, sizes, marks }: Line, scale: Scale): string {
  const points = sizes.map((tokens, index) => `${scale.x(index + 1)},${scale.y(tokens)}`).join(" ");
  const crosses = (marks?.requests ?? []).map((request) => drawMark(request, colour, scale));
  const line = `<polyline points="${points}" fill="none" stroke="${colour}" stroke-width="2" stroke-linejoin="round"/>`;
  return [...crosses, line].join("\n");
}

/** A dashed line through the plot, with a triangle under it. */
function drawMark(request: number, colour: string, scale: Scale): string {
  const x = scale.x(request);
  const { top, bottom } = PLOT;
  return `<path d="M${x} ${top}V${bottom}" stroke="${colour}" stroke-dasharray="5 4" opacity="0.55"/>
${triangle({ x, y: top }, colour)}`;
}

function drawLegend(lines: readonly Line[]): string {
  const entries = lines.flatMap(({ label, colour, marks }) => [
    { label, sign: (at: Point) => `<path d="M${at.x} ${at.y}h26" stroke="${colour}" stroke-width="3"/>` },
    ...(marks && marks.requests.length > 0
      ? [{ label: marks.label, sign: ({ x, y }: Point) => triangle({ x: x + 13, y: y - 5 }, colour) }]
      : []),
  ]);
  const width = (PLOT.right - PLOT.left) / Math.max(1, entries.length);
  return entries
    .map(({ label, sign }, index) => {
      const x = round(PLOT.left + index * width);
      return sign({ x, y: 70 }) + text({ x: x + 34, y: 74 }, label);
    })
    .join("\n");
}

interface Point {
  x: number;
  y: number;
}

function triangle({ x, y }: Point, colour: string): string {
  return `<path d="M${round(x - 6)} ${y}h12l-6 10z" fill="${colour}"/>`;
}

function text({ x, y }: Point, value: string, attributes = ""): string {
  return `<text x="${x}" y="${y}" ${attributes}>${escapeMarkup(value)}</text>`;
}

/** Round numbers from 0 to `highest`, about so many. */
function listTicks(highest: number, wanted: number): number[] {
  const rough = highest / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 2.5, 5].find((factor) => factor * power >= rough) ?? 10) * power;
  return Array.from({ length: Math.floor(highest / step) + 1 }, (_, index) => index * step);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escapeMarkup(value: string): string {
  return value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
