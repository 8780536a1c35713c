/** Figures for a narrow column, shorter than those of src/screen/format-figures.ts. Pure. */
import { formatMoney, formatPercent, formatTokens } from "../format.js";
import { isGain, isLoss } from "../screen/format-figures.js";
import type { Saving } from "../screen/session-screen.js";

/** A true minus sign, as wide as a plus. */
const MINUS = "−";

/** How much smaller the context is: "−48 %", "+3 %"; `undefined` if the two cannot be compared. */
export function formatChange(now: number, without: number): string | undefined {
  if (without <= 0) return undefined;
  const percent = Math.round((100 * (now - without)) / without);
  return percent === 0 ? "0 %" : `${percent < 0 ? MINUS : "+"}${Math.abs(percent)} %`;
}

/**
 * "38 %, $0.42", or tokens where prices are unknown. A saving that is not there yet has words and no number: what layers
 * spend first comes back later.
 */
export function formatSaving(saving: Saving): string {
  if (isLoss(saving)) return "not paid back yet";
  if (!isGain(saving)) return "nothing yet";
  const { dollars, share, tokens } = saving;
  const worth = dollars === undefined ? `${formatTokens(tokens)} tokens` : formatMoney(dollars);
  return share === undefined || share <= 0 ? worth : `${formatPercent(share)}, ${worth}`;
}

/** "3 memories", "1 memory". */
export const countOf = (count: number, one: string, many = `${one}s`): string =>
  `${Math.round(count)} ${Math.round(count) === 1 ? one : many}`;
