/** Figures for people: percent and money first, tokens short. Pure. */
import { formatMoney } from "../format.js";
import type { Saving } from "../screen/session-screen.js";

/** A true minus sign, as wide as a plus. */
const MINUS = "−";

/** 940 → "940", 13312 → "13.3K", 1234567 → "1.23M". */
export function formatTokens(tokens: number): string {
  const size = Math.abs(tokens);
  const sign = tokens < 0 ? MINUS : "";
  if (size < 999.5) return `${sign}${Math.round(size)}`;
  if (size < 999_950) return `${sign}${trim(size / 1_000, size < 99_950 ? 1 : 0)}K`;
  return `${sign}${trim(size / 1_000_000, 2)}M`;
}

const trim = (value: number, digits: number): string => value.toFixed(digits).replace(/\.0+$/, "");

/** 0.476 → "48 %". Below one percent, but not zero: "<1 %". */
export function formatShare(share: number): string {
  const percent = Math.abs(share) * 100;
  if (percent > 0 && percent < 0.5) return "<1 %";
  return `${share < 0 ? MINUS : ""}${Math.round(percent)} %`;
}

/** How much smaller the context is: "−48 %", "+3 %"; `undefined` if the two cannot be compared. */
export function formatChange(now: number, without: number): string | undefined {
  if (without <= 0) return undefined;
  const percent = Math.round((100 * (now - without)) / without);
  return percent === 0 ? "0 %" : `${percent < 0 ? MINUS : "+"}${Math.abs(percent)} %`;
}

/** Has it saved more than it cost? */
export const isGain = ({ dollars, tokens }: Saving): boolean => (dollars ?? tokens) > 0;

/**
 * "38 %, $0.42", or tokens where prices are unknown. A saving that is not there yet has words and no number: what layers
 * spend first comes back later.
 */
export function formatSaving({ dollars, share, tokens }: Saving): string {
  if ((dollars ?? tokens) < 0) return "not paid back yet";
  if ((dollars ?? tokens) === 0) return "nothing yet";
  const worth = dollars === undefined ? `${formatTokens(tokens)} tokens` : formatMoney(dollars);
  return share === undefined || share <= 0 ? worth : `${formatShare(share)}, ${worth}`;
}

/** "3 memories", "1 memory". */
export const countOf = (count: number, one: string, many = `${one}s`): string =>
  `${Math.round(count)} ${Math.round(count) === 1 ? one : many}`;
