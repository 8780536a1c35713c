/** What was saved, in words: dollars where the models have prices, else tokens of input. */
import { formatCount, formatMoney } from "../format.js";
import type { SavingsTotals } from "../record/savings.js";

type Saved = Pick<SavingsTotals, "cost" | "money" | "net" | "unpriced">;

/** "about $1.23 (34 %) less than OpenCode alone would have cost". */
export function formatSaved(saved: Saved): string {
  const comparison = isLoss(saved) ? "more" : "less";
  return `about ${formatWorth(saved)}${formatShare(saved)} ${comparison} than OpenCode alone would have cost`;
}

/** "saved $1.23", or "cost $0.05 more". */
export function formatSavedShort(saved: Saved): string {
  return isLoss(saved) ? `cost ${formatWorth(saved)} more` : `saved ${formatWorth(saved)}`;
}

/** Has it cost more than without Strata? */
export function isLoss({ money = 0, net }: Saved): boolean {
  return (money === 0 ? net : money) < 0;
}

/** The size of it, without a sign; tokens of models without prices follow the dollars. */
export function formatWorth({ money = 0, net, unpriced }: Saved): string {
  if (money === 0) return `${formatCount(Math.abs(net))} tokens of input`;
  const dollars = formatMoney(Math.abs(money));
  if (unpriced === 0) return dollars;
  const sign = Math.sign(unpriced) === Math.sign(money) ? "and" : "less";
  return `${dollars} ${sign} ${formatCount(Math.abs(unpriced))} tokens of input where prices are unknown`;
}

/** As a share of what OpenCode alone would have cost; unknown in records of earlier versions. */
function formatShare({ cost, net }: Saved): string {
  const bare = (cost ?? 0) + net;
  return cost === undefined || bare <= 0 ? "" : ` (${Math.round((100 * Math.abs(net)) / bare)} %)`;
}
