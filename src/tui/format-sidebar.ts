/** The sidebar's block and the figure beside the prompt. Pure. */

import { padTo, spread, wrap } from "../base/columns.js";
import { countMemories, formatCounted, formatMoney, formatPercent, formatTokens } from "../base/format.js";
import type { Saving } from "../costs/sums.js";
import { formatTokenShare, isGain, isLoss, KIND_NAMES } from "../status/format-figures.js";
import { KINDS, type Kind, type SessionScreen } from "../status/session-screen.js";

type Context = SessionScreen["context"];

/** OpenCode 1.18.33's sidebar has 42 columns in every terminal, 5 of them padding and scroll bar. */
const SIDEBAR_COLUMNS = 37;
/** Two kinds stand on a line, each behind "▪ ". */
const KIND_COLUMNS = Math.floor((SIDEBAR_COLUMNS - 1) / 2) - 2;
const MOST_WARNINGS = 3;
const MOST_WARNING_LINES = 3;
const FULL = "█";
const EMPTY = "░";

/** As elsewhere, but for one that is too long for half a line. */
const NAMES: Readonly<Record<Kind, string>> = { ...KIND_NAMES, system: "system" };

const colourOf = (kind: Kind): Colour => `kind${KINDS.indexOf(kind) + 1}` as Colour;

/** The whole block, for a session with or without a request. */
export function formatSidebar(screen: SessionScreen | undefined): Line[] {
  const title: Line = [{ text: "Strata", colour: "text", isBold: true }];
  if (!screen) return [title, plain("figures follow with the next request", "muted")];
  return [
    title,
    ...formatContext(screen.context),
    ...formatKinds(screen.context),
    ...formatSavings(screen),
    ...formatMemory(screen),
    ...formatNews(screen),
  ];
}

function formatContext(context: Context): Line[] {
  const { isEstimate, now, threshold, without } = context;
  const size = `context ${isEstimate ? "~" : ""}${formatTokens(now)}`;
  const of = `${size} of ${formatTokens(threshold)}`;
  return [
    ...(threshold > 0
      ? [plain(spread(of, formatPercent(now / threshold), SIDEBAR_COLUMNS)), formatBar(context)]
      : [plain(size)]),
    ...(without > now ? [plain(`instead of ${formatTokens(without)} (${formatLess(context)})`, "good")] : []),
  ];
}

/** How much smaller the context is: "−48 %". */
export const formatLess = ({ now, without }: Context): string => formatPercent((now - without) / without);

/** One cell for each part of the threshold, coloured by kind; a full bar is one that is at or over it. */
function formatBar({ kinds, now, threshold }: Pick<Context, "kinds" | "now" | "threshold">): Line {
  const filled = Math.min(SIDEBAR_COLUMNS, Math.round((SIDEBAR_COLUMNS * now) / threshold));
  const sum = KINDS.reduce((total, kind) => total + kinds[kind], 0);
  const pieces: Piece[] = [];
  let done = 0;
  let tokensDone = 0;
  for (const kind of KINDS) {
    tokensDone += kinds[kind];
    const end = Math.round((filled * tokensDone) / sum) || 0;
    if (end > done) pieces.push({ text: FULL.repeat(end - done), colour: colourOf(kind) });
    done = Math.max(done, end);
  }
  if (done < filled) pieces.push({ text: FULL.repeat(filled - done), colour: "accent" });
  if (filled < SIDEBAR_COLUMNS)
    pieces.push({ text: EMPTY.repeat(SIDEBAR_COLUMNS - filled), colour: "muted" });
  return pieces;
}

/** Those with tokens, largest first. */
export const rankKinds = ({ kinds }: Context): Kind[] =>
  KINDS.filter((kind) => kinds[kind] > 0).sort((one, other) => kinds[other] - kinds[one]);

/** Two a line. */
function formatKinds(context: Context): Line[] {
  const cells = rankKinds(context).map((kind): Piece[] => [
    { text: "▪ ", colour: colourOf(kind) },
    { text: spread(NAMES[kind], formatTokens(context.kinds[kind]), KIND_COLUMNS), colour: "muted" },
  ]);
  const lines: Line[] = [];
  for (let at = 0; at < cells.length; at += 2) {
    const [left = [], right] = cells.slice(at, at + 2);
    lines.push(right ? [...left, { text: " ", colour: "muted" }, ...right] : left);
  }
  return lines;
}

function formatSavings({ cache: { last, session }, saved }: SessionScreen): Line[] {
  const all = session === undefined || last === undefined ? "" : ` (${formatPercent(session)} in all)`;
  const rate = last ?? session;
  return [
    ...(rate === undefined ? [] : [["cache hits", formatPercent(rate) + all] as const]),
    ["saved today", formatSaving(saved.today)] as const,
  ].map(([name, value]) => plain(spread(name, value, SIDEBAR_COLUMNS), "muted"));
}

/**
 * "38 %, $0.42", or "38 % of tokens" where the host has no price. A saving that is not there yet has words and no number: what layers
 * spend first comes back later.
 */
export function formatSaving(saving: Saving, isShort = false): string {
  if (isLoss(saving)) return "not paid back yet";
  if (!isGain(saving)) return "nothing yet";
  const { dollars, share, tokens } = saving;
  const worth = dollars === undefined ? `${formatTokens(tokens)} tokens` : formatMoney(dollars);
  if (share === undefined || share <= 0) return worth;
  if (isShort) return formatPercent(share);
  return dollars === undefined ? formatTokenShare(share) : `${formatPercent(share)}, ${worth}`;
}

function formatMemory({ memory: { blockers, candidates, memories, todos } }: SessionScreen): Line[] {
  const open = [
    ...(blockers > 0 ? [formatCounted(blockers, "blocker")] : []),
    ...(todos > 0 ? [`${formatCounted(todos, "waits", "wait")} for you`] : []),
  ];
  const waiting = candidates > 0 ? ` · ${formatCounted(candidates, "candidate")}` : "";
  return [
    plain(countMemories(memories) + waiting, "muted"),
    ...(open.length > 0 ? [plain(open.join(" · "), "warning")] : []),
  ];
}

function formatNews(screen: SessionScreen): Line[] {
  const worked = screen.background.join(", ");
  const told = listProblems(screen);
  const more = told.length - MOST_WARNINGS;
  return [
    ...(worked === "" ? [] : wrap(`in the background: ${worked}`, SIDEBAR_COLUMNS)).map((text) =>
      plain(text, "accent"),
    ),
    ...told.slice(0, MOST_WARNINGS).flatMap(hang),
    ...(more > 0 ? [plain(`and ${more} more: /memory`, "warning")] : []),
  ];
}

/** One sentence each. */
export const listProblems = ({ breaker, warnings }: SessionScreen): string[] => [
  ...(breaker === undefined ? [] : [`automatic summaries do not help: ${breaker}`]),
  ...warnings,
];

/** A sentence behind a mark, its further lines indented. */
const hang = (sentence: string): Line[] =>
  wrap(sentence, SIDEBAR_COLUMNS - 2, MOST_WARNING_LINES).map((text, index) =>
    plain(padTo(index === 0 ? "!" : "", 2) + text, "warning"),
  );

/** For narrow terminals, which hide the sidebar: "cache 94 % · saved 38 %, $0.42"; the short form has no money. */
export function formatFooter(screen: SessionScreen | undefined, isShort = false): Line[] {
  if (!screen) return [];
  const { cache, saved } = screen;
  const rate = cache.last ?? cache.session;
  const parts = [
    ...(rate === undefined ? [] : [`cache ${formatPercent(rate)}`]),
    `${isGain(saved.today) ? "saved " : ""}${formatSaving(saved.today, isShort)}`,
  ];
  return [
    [
      ...(listProblems(screen).length > 0 ? [{ text: "! ", colour: "warning" as const }] : []),
      { text: parts.join(" · "), colour: "muted" },
    ],
  ];
}

/* Lines as they are drawn: pieces of text, each with the name of a colour. */

/** The host's theme gives the colours, one for each kind of `KINDS` among them. */
export type Colour =
  | "text"
  | "muted"
  | "accent"
  | "good"
  | "warning"
  | "bad"
  | `kind${1 | 2 | 3 | 4 | 5 | 6 | 7}`;

export interface Piece {
  text: string;
  colour: Colour;
  isBold?: true;
}

export type Line = readonly Piece[];

const plain = (text: string, colour: Colour = "text"): Line => [{ text, colour }];
