/** 108894 → "108,894", the same in every locale: previews must be the same bytes on every machine. */
export function formatCount(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, ",");
}
