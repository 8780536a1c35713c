/** Charts, each followed by a table of its numbers. */
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { formatCount, formatMoney, formatTokens } from "../../base/format.js";
import type { Overview } from "../answers.js";
import { List, Table } from "./parts.js";

const HEIGHT = 220;
const USUAL_WIDTH = 640;
const EDGE = { left: 48, right: 12, top: 12, bottom: 26 };
const MOST_ROWS = 100;
/** Width in pixels that a date needs below its bar. */
const DAY_WIDTH = 70;

interface Scale {
  x(at: number): number;
  y(value: number): number;
  ticks: readonly number[];
}

function planScale(width: number, count: number, highest: number): Scale {
  const right = width - EDGE.right;
  const bottom = HEIGHT - EDGE.bottom;
  const top = Math.max(1, highest * 1.05);
  const step = findStep(top / 4);
  return {
    x: (at) => EDGE.left + (at / Math.max(1, count)) * (right - EDGE.left),
    y: (value) => bottom - (value / top) * (bottom - EDGE.top),
    ticks: Array.from({ length: Math.floor(top / step) + 1 }, (_, n) => n * step),
  };
}

/** The smallest 1, 2 or 5 times a power of ten that is at least `rough`. */
function findStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(rough, Number.MIN_VALUE)));
  return ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10) * power;
}

interface ChartProps {
  label: string;
  count: number;
  highest: number;
  format(value: number): string;
  children(scale: Scale, width: number): ComponentChildren;
  caption?: ComponentChildren;
  head: readonly string[];
  /** The same numbers as text. */
  rows: readonly (readonly string[])[];
}

/** The one frame of every chart: as wide as its place, with a grid, and followed by its numbers. */
function Chart({ caption, children, count, format, head, highest, label, rows }: ChartProps) {
  const ref = useRef<HTMLElement>(null);
  const [width, setWidth] = useState(USUAL_WIDTH);
  useLayoutEffect(() => {
    const observer = new ResizeObserver(
      ([entry]) => entry && setWidth(Math.max(1, Math.round(entry.contentRect.width))),
    );
    if (ref.current) observer.observe(ref.current);
    return () => observer.disconnect();
  }, []);
  const scale = planScale(width, count, highest);
  return (
    <figure class="chart" ref={ref}>
      <svg width={width} height={HEIGHT} role="img" aria-label={label}>
        {scale.ticks.map((tick) => (
          <g key={tick} class="grid">
            <line x1={EDGE.left} x2={width - EDGE.right} y1={scale.y(tick)} y2={scale.y(tick)} />
            <text x={EDGE.left - 8} y={scale.y(tick) + 4} text-anchor="end">
              {format(tick)}
            </text>
          </g>
        ))}
        {children(scale, width)}
      </svg>
      {caption}
      <details class="numbers">
        <summary>Show as table</summary>
        <Table head={head} label={`${label}, as a table`}>
          {rows.map((row) => (
            <tr key={row[0]}>
              {row.map((cell, at) => (
                <td key={head[at]}>{cell}</td>
              ))}
            </tr>
          ))}
        </Table>
      </details>
    </figure>
  );
}

const Label = ({ anchor, text, x }: { anchor: "start" | "middle" | "end"; text: string; x: number }) => (
  <text class="axis" x={x} y={HEIGHT - 6} text-anchor={anchor}>
    {text}
  </text>
);

interface SizesChartProps {
  /** Tokens of each request. */
  sent: readonly number[];
  without: readonly number[];
  withoutName: string;
  /** Numbers, from 1, of the requests before which history was replaced. */
  replacements: readonly number[];
}

export function SizesChart({ replacements, sent, without, withoutName }: SizesChartProps) {
  const count = Math.max(sent.length, without.length);
  const legend = [
    ["with", "with Strata"],
    ["bare", withoutName],
    ...(replacements.length > 0 ? [["cut", "history replaced"]] : []),
  ];
  const caption = (
    <List rows={legend} class="legend">
      {([kind, name]) => (
        <>
          <span class={`dot ${kind}`} /> {name}
        </>
      )}
    </List>
  );
  return (
    <Chart
      label={`Tokens of each request with Strata, and ${withoutName}`}
      count={Math.max(1, count - 1)}
      highest={Math.max(...sent, ...without, 1)}
      format={formatTokens}
      caption={caption}
      head={["Request", "With", "Without"]}
      rows={sent.map((tokens, at) => [at + 1, tokens, without[at] ?? 0].map(formatCount)).slice(-MOST_ROWS)}
    >
      {({ x, y }, width) => {
        const points = (values: readonly number[]): string[] =>
          values.map((value, at) => `${round(x(at))} ${round(y(value))}`);
        const path = (all: readonly string[]): string => (all.length === 0 ? "" : `M${all.join("L")}`);
        const area = [...points(without), ...points(sent).reverse()];
        return (
          <>
            {count > 1 && <path class="spared" d={`${path(area)}Z`} />}
            {replacements.map((number) => (
              <path key={number} class="cut" d={`M${x(number - 1)} ${EDGE.top}V${HEIGHT - EDGE.bottom}`} />
            ))}
            <path class="line without" d={path(points(without))} />
            <path class="line with" d={path(points(sent))} />
            <circle class="end" cx={x(sent.length - 1)} cy={y(sent.at(-1) ?? 0)} r="4" />
            <Label x={EDGE.left} text="request 1" anchor="start" />
            <Label x={width - EDGE.right} text={formatCount(count)} anchor="end" />
          </>
        );
      }}
    </Chart>
  );
}

/** Whether savings can be told in dollars on every day that has some. */
export const areDollars = (days: Overview["days"]): boolean =>
  days.some(({ saved }) => saved.dollars !== undefined) &&
  days.every(({ saved: { dollars, tokens, unpriced } }) =>
    dollars === undefined ? tokens === 0 : unpriced === undefined,
  );

/** Savings per day. */
export function DaysChart({ days }: { days: Overview["days"] }) {
  const isMoney = areDollars(days);
  const format = isMoney ? formatMoney : formatTokens;
  const values = days.map(({ saved }) => (isMoney ? (saved.dollars ?? 0) : saved.tokens));
  return (
    <Chart
      label="Savings per day"
      count={days.length}
      highest={Math.max(...values, 0) || 1}
      format={format}
      head={["Day", "Saved", "Tokens freed", "Cache lost"]}
      rows={days.map(({ day, totals: { cacheLost, tokensFreed } }, at) => [
        ...[day, format(values[at] ?? 0), formatCount(tokensFreed), formatCount(cacheLost)],
      ])}
    >
      {({ x, y }, width) =>
        days.map(({ day }, at) => {
          const value = Math.max(0, values[at] ?? 0);
          const slot = x(1) - x(0);
          const bar = Math.min(28, slot * 0.6);
          const middle = round(x(at) + slot / 2);
          const box = { x: middle - bar / 2, y: y(value), width: bar };
          return (
            <g key={day}>
              <rect class="day" rx="3" {...box} height={Math.max(value > 0 ? 2 : 0, round(y(0) - y(value)))}>
                <title>{`${day}: ${format(values[at] ?? 0)}`}</title>
              </rect>
              {at % Math.ceil(days.length / (width / DAY_WIDTH)) === 0 && (
                <Label x={middle} text={day.slice(5)} anchor="middle" />
              )}
            </g>
          );
        })
      }
    </Chart>
  );
}

const round = (value: number): number => Math.round(value * 10) / 10;
