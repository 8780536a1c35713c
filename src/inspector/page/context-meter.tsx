/** A session's context as a bar: its parts, and its length without Strata. */
import { formatTokens } from "../../base/format.js";
import { formatContext, KIND_NAMES } from "../../status/format-figures.js";
import type { ContextFigures, Kind } from "../../status/session-screen.js";

const ORDER: readonly Kind[] = ["system", "memory", "notes", "words", "answers", "calls", "results"];

export function ContextMeter({ context, isLarge = false }: { context: ContextFigures; isLarge?: boolean }) {
  const { kinds, now, threshold, without } = context;
  const whole = Math.max(now, without, 1);
  const shown = ORDER.filter((kind) => kinds[kind] > 0);
  const percent = (tokens: number): string => `${Math.min(100, (tokens / whole) * 100)}%`;
  return (
    <div class={isLarge ? "meter large" : "meter"}>
      <div class="bar" role="img" aria-label={`Context ${formatContext(context, " tokens")}`}>
        {shown.map((kind) => (
          <span key={kind} class={`part ${kind}`} style={{ width: percent(kinds[kind]) }} />
        ))}
        {without > now && <span class="part without" style={{ width: percent(without - now) }} />}
        {threshold > 0 && threshold < whole && <span class="mark" style={{ left: percent(threshold) }} />}
      </div>
      {isLarge && (
        <ul class="legend">
          {shown.map((kind) => (
            <li key={kind}>
              <span class={`dot ${kind}`} />
              {KIND_NAMES[kind]} <b>{formatTokens(kinds[kind])}</b>
            </li>
          ))}
          {without > now && (
            <li>
              <span class="dot without" />
              kept out <b>{formatTokens(without - now)}</b>
            </li>
          )}
        </ul>
      )}
    </div>
  );
}
