/** The figures of the screen in words: percent and money first, percent of tokens where the host has no price. */
import { formatMoney, formatPercent, formatTokens } from "../base/format.js";
import type { Saving } from "../costs/sums.js";
import type { ContextFigures, Kind, SessionScreen } from "./session-screen.js";

/** For people, in the order of the list. */
export const KIND_NAMES: Readonly<Record<Kind, string>> = {
  system: "system and tools",
  words: "your words",
  answers: "answers",
  calls: "tool calls",
  results: "results",
  memory: "memory",
  notes: "notes",
};

/** "context 13.3K instead of 25.6K (−48 %) · saved $0.42 today". */
export const formatHeadline = ({ context, saved }: Pick<SessionScreen, "context" | "saved">): string =>
  `context ${formatContext(context)} · ${formatToday(saved.today)}`;

/** "13.3K instead of 25.6K (−48 %)"; the second only where Strata has made a difference. `unit` follows the first. */
export function formatContext(
  { now, without }: Pick<ContextFigures, "now" | "without">,
  unit: "" | " tokens" = "",
): string {
  const [is, was] = [formatTokens(now), formatTokens(without)];
  if (is === was || without <= 0) return is + unit;
  const more = now - without;
  return more < 0
    ? `${is}${unit} instead of ${was} (${formatPercent(more / without)})`
    : `${is}${unit}, ${formatTokens(more)} of them Strata's own`;
}

/** "saved $0.42 today", "saved 38 % of tokens today". */
function formatToday(saving: Saving): string {
  if (!isGain(saving)) return isLoss(saving) ? "not paid back yet today" : "nothing saved yet today";
  const { dollars, share, tokens } = saving;
  if (dollars !== undefined) return `saved ${formatMoney(dollars)} today`;
  return `saved ${share === undefined ? formatInput(tokens) : formatTokenShare(share)} today`;
}

/** What is paid for is tokens: a subscription's, or those of a model whose price nobody knows. */
export const formatTokenShare = (share: number): string => `${formatPercent(share)} of tokens`;

/** "saved $0.42 (38 %)", "saved 38 % of tokens (16K)", "not paid back yet: $0.003 spent so far". */
export function formatSaving(saving: Saving): string {
  if (isLoss(saving)) return `not paid back yet: ${formatWorth(saving)} spent so far`;
  if (!isGain(saving)) return "nothing saved yet";
  const { dollars, share, tokens } = saving;
  if (share === undefined) return `saved ${formatWorth(saving)}`;
  return dollars === undefined
    ? `saved ${formatTokenShare(share)} (${formatTokens(tokens)})`
    : `saved ${formatWorth(saving)} (${formatPercent(share)})`;
}

/** The size of it, without a sign; tokens of models without prices follow the dollars. */
export function formatWorth({ dollars, tokens, unpriced = 0 }: Saving): string {
  if (dollars === undefined) return formatInput(Math.abs(tokens));
  const money = formatMoney(Math.abs(dollars));
  if (unpriced === 0) return money;
  const sign = Math.sign(unpriced) === Math.sign(dollars) ? "and" : "less";
  return `${money} ${sign} ${formatInput(Math.abs(unpriced))} where no price is known`;
}

const formatInput = (tokens: number): string => `${formatTokens(tokens)} tokens of input`;

/** Has it cost more than it has saved so far? */
export const isLoss = ({ dollars, tokens }: Saving): boolean => (dollars ?? tokens) < 0;

/** Has it saved more than it has cost? */
export const isGain = ({ dollars, tokens }: Saving): boolean => (dollars ?? tokens) > 0;

/** "8.1K system and tools, 3K results", largest first. */
export function formatKinds(kinds: ContextFigures["kinds"]): string {
  return Object.entries(kinds)
    .filter(([, tokens]) => tokens > 0)
    .sort(([, one], [, other]) => other - one)
    .map(([kind, tokens]) => `${formatTokens(tokens)} ${KIND_NAMES[kind as Kind]}`)
    .join(", ");
}

/** "93 % of the last prompt came from the cache, 88 % of all"; `undefined` before the first answer. */
export function formatCache({ last, session }: SessionScreen["cache"]): string | undefined {
  if (last === undefined)
    return session === undefined ? undefined : `${formatPercent(session)} of all prompts came from the cache`;
  const ofAll = session === undefined ? "" : `, ${formatPercent(session)} of all`;
  return `${formatPercent(last)} of the last prompt came from the cache${ofAll}`;
}
