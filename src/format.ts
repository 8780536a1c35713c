/** 108894 → "108,894", the same in every locale: previews must be the same bytes on every machine. */
export function formatCount(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** 1.234 → "$1.23", -0.0345 → "-$0.035": two digits at least, so that small sums are not zero. */
export function formatMoney(dollars: number): string {
  const size = Math.abs(dollars);
  const text = size >= 0.0995 || size === 0 ? size.toFixed(2) : String(Number(size.toPrecision(2)));
  return `${dollars < 0 ? "-" : ""}$${text}`;
}
