/** Charts, each followed by a table of its numbers. */
import { formatCount, formatMoney, formatTokens } from "../../base/format.js";
import type { Overview, SessionPage } from "../answers.js";
import { useWidth } from "./hooks.js";
import { List, Table } from "./parts.js";

const HEIGHT = 220;
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

function Grid({ format, scale, width }: { scale: Scale; width: number; format(value: number): string }) {
  return (
    <g class="grid">
      {scale.ticks.map((tick) => (
        <g key={tick}>
          <line x1={EDGE.left} x2={width - EDGE.right} y1={scale.y(tick)} y2={scale.y(tick)} />
          <text x={EDGE.left - 8} y={scale.y(tick) + 4} text-anchor="end">
            {format(tick)}
          </text>
        </g>
      ))}
    </g>
  );
}

const Label = ({ anchor, text, x }: { anchor: "start" | "middle" | "end"; text: string; x: number }) => (
  <text class="axis" x={x} y={HEIGHT - 6} text-anchor={anchor}>
    {text}
  </text>
);

/** Tokens of each request, and an estimate without Strata. */
export const ContextChart = ({ page }: { page: Pick<SessionPage, "requests" | "replacements"> }) => (
  <SizesChart
    sent={page.requests.map(({ sent }) => sent)}
    without={page.requests.map(({ keptOut, sent }) => sent + keptOut)}
    withoutName="without (estimate)"
    replacements={page.replacements}
  />
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
  const [width, ref] = useWidth<HTMLElement>(640);
  const count = Math.max(sent.length, without.length);
  const last = Math.max(1, count - 1);
  const scale = planScale(width, last, Math.max(...sent, ...without, 1));
  const path = (values: readonly number[]): string =>
    values
      .map((value, at) => `${at === 0 ? "M" : "L"}${round(scale.x(at))} ${round(scale.y(value))}`)
      .join("");
  const legend = [
    ["with", "with Strata"],
    ["bare", withoutName],
    ...(replacements.length > 0 ? [["cut", "history replaced"]] : []),
  ];
  const area = `${path(without)}${[...sent]
    .map((value, at) => `L${round(scale.x(at))} ${round(scale.y(value))}`)
    .reverse()
    .join("")}Z`;
  return (
    <figure class="chart" ref={ref}>
      <svg
        width={width}
        height={HEIGHT}
        role="img"
        aria-label={`Tokens of each request with Strata, and ${withoutName}`}
      >
        <Grid scale={scale} width={width} format={formatTokens} />
        {count > 1 && <path class="spared" d={area} />}
        {replacements.map((number) => (
          <line
            key={number}
            class="cut"
            x1={scale.x(number - 1)}
            x2={scale.x(number - 1)}
            y1={EDGE.top}
            y2={HEIGHT - EDGE.bottom}
          />
        ))}
        <path class="line without" d={path(without)} />
        <path class="line with" d={path(sent)} />
        <circle class="end" cx={scale.x(sent.length - 1)} cy={scale.y(sent.at(-1) ?? 0)} r="4" />
        <Label x={EDGE.left} text="request 1" anchor="start" />
        <Label x={width - EDGE.right} text={formatCount(count)} anchor="end" />
      </svg>
      <figcaption>
        <List rows={legend} class="legend">
          {([kind, name]) => (
            <>
              <span class={`dot ${kind}`} /> {name}
            </>
          )}
        </List>
      </figcaption>
      <Numbers
        head={["Request", "With", "Without"]}
        rows={sent.map((tokens, at) => [at + 1, tokens, without[at] ?? 0].map(formatCount)).slice(-MOST_ROWS)}
      />
    </figure>
  );
}

/** Savings per day, in dollars if any day has them. */
export function DaysChart({ days }: { days: Overview["days"] }) {
  const [width, ref] = useWidth<HTMLElement>(640);
  const isMoney = days.some(({ saved }) => saved.dollars !== undefined);
  const format = isMoney ? formatMoney : formatTokens;
  const values = days.map(({ saved }) => (isMoney ? (saved.dollars ?? 0) : saved.tokens));
  const scale = planScale(width, days.length, Math.max(...values, 0) || 1);
  const slot = (width - EDGE.left - EDGE.right) / Math.max(1, days.length);
  const bar = Math.min(28, slot * 0.6);
  return (
    <figure class="chart" ref={ref}>
      <svg width={width} height={HEIGHT} role="img" aria-label="Savings per day">
        <Grid scale={scale} width={width} format={format} />
        {days.map(({ day }, at) => {
          const value = Math.max(0, values[at] ?? 0);
          const top = scale.y(value);
          return (
            <rect
              key={day}
              class="day"
              rx="3"
              x={round(scale.x(at) + (slot - bar) / 2)}
              y={round(top)}
              width={round(bar)}
              height={Math.max(value > 0 ? 2 : 0, round(scale.y(0) - top))}
            >
              <title>{`${day}: ${format(values[at] ?? 0)}`}</title>
            </rect>
          );
        })}
        {days.map(
          ({ day }, at) =>
            at % Math.ceil(days.length / (width / DAY_WIDTH)) === 0 && (
              <Label key={day} x={round(scale.x(at) + slot / 2)} text={day.slice(5)} anchor="middle" />
            ),
        )}
      </svg>
      <Numbers
        head={["Day", "Saved", "Tokens freed", "Cache lost"]}
        rows={days.map(({ day, totals: { cacheLost, tokensFreed } }, at) => [
          day,
          format(values[at] ?? 0),
          formatCount(tokensFreed),
          formatCount(cacheLost),
        ])}
      />
    </figure>
  );
}

function Numbers({ head, rows }: { head: readonly string[]; rows: readonly (readonly string[])[] }) {
  return (
    <details class="numbers">
      <summary>Show as table</summary>
      <Table head={head} label="Chart data">
        {rows.map((row) => (
          <tr key={row[0]}>
            {row.map((cell, at) => (
              <td key={head[at]}>{cell}</td>
            ))}
          </tr>
        ))}
      </Table>
    </details>
  );
}

const round = (value: number): number => Math.round(value * 10) / 10;
