/** The sidebar's block and the figure beside the prompt. Pure. */

import { formatPercent, formatTokens } from "../format.js";
import { isGain, KIND_NAMES as NAMES } from "../screen/format-figures.js";
import { KINDS, type Kind, type Saving } from "../screen/session-screen.js";
import { fit, padTo, spread, wrap } from "./columns.js";
import { countOf, formatChange, formatSaving } from "./figures.js";
import { type Colour, type Line, type Piece, plain } from "./line.js";
import type { Shown } from "./sound-screen.js";

/** OpenCode 1.18.33's sidebar has 42 columns, 5 of them padding and scroll bar. */
export const SIDEBAR_COLUMNS = 37;
const MOST_WARNINGS = 3;
const MOST_WARNING_LINES = 3;
const FULL = "█";
const EMPTY = "░";

/** As elsewhere, but for one that is too long for half a line. */
export const KIND_NAMES: Readonly<Record<Kind, string>> = { ...NAMES, system: "system, tools" };

const colourOf = (kind: Kind): Colour => `kind${(KINDS.indexOf(kind) + 1) as 1 | 2 | 3 | 4 | 5 | 6 | 7}`;

/** The whole block, for a session with or without a request. */
export function formatSidebar(shown: Shown | undefined, columns = SIDEBAR_COLUMNS): Line[] {
  const title: Line = [{ text: "Strata", colour: "text", isBold: true }];
  if (!shown) return [title, plain(fit("figures follow with the next request", columns), "muted")];
  return [
    title,
    ...formatContext(shown, columns),
    ...formatKinds(shown, columns),
    ...formatSavings(shown, columns),
    ...formatMemory(shown, columns),
    ...formatNews(shown, columns),
  ];
}

function formatContext({ isEstimate, now, threshold, without, ...shown }: Shown, columns: number): Line[] {
  const of = threshold === undefined ? "" : ` of ${formatTokens(threshold)}`;
  const part = threshold === undefined ? "" : formatPercent(now / threshold);
  const lines: Line[] = [
    plain(spread(`context ${isEstimate ? "~" : ""}${formatTokens(now)}${of}`, part, columns)),
  ];
  if (threshold !== undefined) lines.push(formatBar(shown.kinds, { now, threshold, columns }));
  const change = without === undefined ? undefined : formatChange(now, without);
  if (without !== undefined && change !== undefined && without > now)
    lines.push(plain(fit(`instead of ${formatTokens(without)} (${change})`, columns), "good"));
  return lines;
}

/** One cell for each part of the threshold, coloured by kind; a full bar is one that is at or over it. */
export function formatBar(
  kinds: Shown["kinds"],
  { columns, now, threshold }: { columns: number; now: number; threshold: number },
): Line {
  const filled = Math.min(columns, Math.round((columns * now) / threshold));
  const sum = kinds.reduce((total, [, tokens]) => total + tokens, 0);
  const pieces: Piece[] = [];
  let done = 0;
  let tokensDone = 0;
  for (const [kind, tokens] of kinds) {
    tokensDone += tokens;
    const end = Math.round((filled * tokensDone) / sum);
    if (end > done) pieces.push({ text: FULL.repeat(end - done), colour: colourOf(kind) });
    done = Math.max(done, end);
  }
  if (done < filled) pieces.push({ text: FULL.repeat(filled - done), colour: "accent" });
  if (filled < columns) pieces.push({ text: EMPTY.repeat(columns - filled), colour: "muted" });
  return pieces;
}

/** Largest first, two a line. */
function formatKinds({ kinds }: Shown, columns: number): Line[] {
  const cells = [...kinds]
    .sort(([, a], [, b]) => b - a)
    .map(([kind, tokens]): Piece[] => {
      const width = Math.floor((columns - 1) / 2) - 2;
      return [
        { text: "▪ ", colour: colourOf(kind) },
        { text: spread(KIND_NAMES[kind], formatTokens(tokens), width), colour: "muted" },
      ];
    });
  const lines: Line[] = [];
  for (let at = 0; at < cells.length; at += 2)
    lines.push([
      ...(cells[at] ?? []),
      ...(cells[at + 1] ? [{ text: " ", colour: "muted" as const }] : []),
      ...(cells[at + 1] ?? []),
    ]);
  return lines;
}

function formatSavings({ hits, saved }: Shown, columns: number): Line[] {
  const lines: Line[] = [];
  const rate = hits.last ?? hits.session;
  if (rate !== undefined) {
    const all =
      hits.session === undefined || hits.last === undefined ? "" : ` (${formatPercent(hits.session)} in all)`;
    lines.push(plain(spread("cache hits", `${formatPercent(rate)}${all}`, columns), "muted"));
  }
  if (saved.today) lines.push(plain(spread("saved today", formatSaving(saved.today), columns), "muted"));
  return lines;
}

function formatMemory({ memory }: Shown, columns: number): Line[] {
  const { blockers, candidates, conflicts, memories } = memory;
  const first = [
    countOf(memories, "memory", "memories"),
    ...(candidates > 0 ? [`${countOf(candidates, "candidate")}`] : []),
  ];
  const open = [
    ...(blockers > 0 ? [countOf(blockers, "blocker")] : []),
    ...(conflicts > 0 ? [countOf(conflicts, "conflict")] : []),
  ];
  return [
    plain(fit(first.join(" · "), columns), "muted"),
    ...(open.length > 0 ? [plain(fit(open.join(" · "), columns), "warning")] : []),
  ];
}

function formatNews({ background, breaker, warnings }: Shown, columns: number): Line[] {
  const worked = background.length === 0 ? [] : [`in the background: ${background.join(", ")}`];
  const off = breaker === undefined ? [] : [`automatic summaries do not help: ${breaker}`];
  const told = [...off, ...warnings];
  const more = told.length - MOST_WARNINGS;
  return [
    ...worked.map((one) => plain(fit(one, columns), "accent")),
    ...told.slice(0, MOST_WARNINGS).flatMap((one) => hang(one, columns)),
    ...(more > 0 ? [plain(fit(`and ${more} more: /memory`, columns), "warning")] : []),
  ];
}

/** A sentence behind a mark, its further lines indented. */
function hang(sentence: string, columns: number): Line[] {
  return wrap(sentence, columns - 2, MOST_WARNING_LINES).map((text, index) =>
    plain(padTo(index === 0 ? "!" : "", 2) + text, "warning"),
  );
}

const formatSavedShort = (saving: Saving): string =>
  isGain(saving) ? `saved ${formatSaving(saving)}` : formatSaving(saving);

/** For narrow terminals, which hide the sidebar: "cache 94 % · saved 38 %, $0.42". */
export function formatFooter(shown: Shown | undefined, columns = 40): Line[] {
  if (!shown) return [];
  const rate = shown.hits.last ?? shown.hits.session;
  const isProblem = shown.breaker !== undefined || shown.warnings.length > 0;
  const parts = [
    ...(rate === undefined ? [] : [`cache ${formatPercent(rate)}`]),
    ...(shown.saved.today === undefined ? [] : [formatSavedShort(shown.saved.today)]),
  ];
  const pieces: Piece[] = [
    ...(isProblem ? [{ text: "! ", colour: "warning" as const }] : []),
    { text: fit(parts.join(" · "), columns - (isProblem ? 2 : 0)), colour: "muted" },
  ];
  return parts.length === 0 && !isProblem ? [] : [pieces];
}
