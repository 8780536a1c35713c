/** 108894 → "108,894", the same in every locale: previews must be the same bytes on every machine. */
export function formatCount(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** 13342 → "13.3K", 1250000 → "1.3M", 812 → "812": three digits, for people who compare sizes. */
export function formatTokens(tokens: number): string {
  const size = Math.abs(Math.round(tokens));
  const [unit, name] = size >= 999_500 ? [1_000_000, "M"] : size >= 1_000 ? [1_000, "K"] : [1, ""];
  const value = size / unit;
  const rounded = Number(value.toFixed(unit === 1 || value >= 99.95 ? 0 : 1));
  return `${tokens < 0 && rounded > 0 ? "−" : ""}${rounded}${name}`;
}

/** 0.483 → "48 %", -0.004 → "−0.4 %": whole numbers from one on. */
export function formatPercent(share: number): string {
  const percent = Math.abs(share) * 100;
  const rounded = percent >= 0.95 ? Math.round(percent) : Number(percent.toFixed(1));
  return `${share < 0 && rounded > 0 ? "−" : ""}${rounded} %`;
}

/** 1.234 → "$1.23", -0.0345 → "−$0.035": two digits at least, so that small sums are not zero. */
export function formatMoney(dollars: number): string {
  const size = Math.abs(dollars);
  const text = size >= 0.0995 || size === 0 ? size.toFixed(2) : String(Number(size.toPrecision(2)));
  return `${dollars < 0 ? "−" : ""}$${text}`;
}

/** "just now", "5 minutes ago", "2 hours ago", "3 days ago"; a time in the future (changed clock) counts as now. */
export function formatAge(thenMs: number, nowMs: number): string {
  const minutes = Math.floor((nowMs - thenMs) / 60_000);
  if (Number.isNaN(minutes)) return "at an unknown time";
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${formatCounted(minutes, "minute")} ago`;
  const hours = Math.floor(minutes / 60);
  return hours < 24
    ? `${formatCounted(hours, "hour")} ago`
    : `${formatCounted(Math.floor(hours / 24), "day")} ago`;
}

/** "1 memory", "1,200 memories"; `several` by default ends in "s". */
export const formatCounted = (count: number, one: string, several = `${one}s`): string =>
  `${formatCount(count)} ${count === 1 ? one : several}`;

export const countMemories = (count: number): string => formatCounted(count, "memory", "memories");
