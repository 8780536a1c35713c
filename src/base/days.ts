/** Days are UTC days, so that all machines agree on them, unless their name says local. */

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** "2026-11-21". Throws a RangeError for an invalid time. */
export const formatDay = (timeMs: number): string => new Date(timeMs).toISOString().slice(0, 10);

/** "2026-11-21" where this machine is: for people, who mean their own day by "today". */
export function formatLocalDay(timeMs: number): string {
  const date = new Date(timeMs);
  const [month, day] = [date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, "0"));
  return `${date.getFullYear()}-${month}-${day}`;
}

/** File name of a day: "2026-11-21.jsonl". Names sort by day. */
export const formatDayFile = (timeMs: number): string => `${formatDay(timeMs)}.jsonl`;

export const isDayFile = (name: string): boolean => /^\d{4}-\d{2}-\d{2}\.jsonl$/.test(name);

/** Start of the day that a day file is named after; `undefined` for any other name. */
export function parseDayFile(name: string): number | undefined {
  const timeMs = isDayFile(name) ? Date.parse(name.slice(0, 10)) : Number.NaN;
  return Number.isNaN(timeMs) ? undefined : timeMs;
}

/** For a model, to the second, in UTC so that all instances agree. */
export function formatTime(timeMs: number): string {
  return `${new Date(timeMs).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}
