/** Days are those of UTC, so that all machines agree on them. */

/** A day, in milliseconds. */
export const DAY_MS = 86_400_000;

/** "2026-11-21". Throws for what is no time. */
export const formatDay = (timeMs: number): string => new Date(timeMs).toISOString().slice(0, 10);

/** The name of a file for a day: "2026-11-21.jsonl". Names sort as their days do. */
export const formatDayFile = (timeMs: number): string => `${formatDay(timeMs)}.jsonl`;

export const isDayFile = (name: string): boolean => /^\d{4}-\d{2}-\d{2}\.jsonl$/.test(name);

/** When the day of such a file begins; `undefined` for any other name. */
export function parseDayFile(name: string): number | undefined {
  const timeMs = isDayFile(name) ? Date.parse(name.slice(0, 10)) : Number.NaN;
  return Number.isNaN(timeMs) ? undefined : timeMs;
}
