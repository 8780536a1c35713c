/**
 * Turns dates into terms, so that a question about a time finds entries of that date.
 *
 *     2023-05-08                 2023, may, 2023-05, 2023-05-08, monday, 2023-w19
 *     "in May 2023"              2023-05
 *     "on 8 May"                 may-08
 *     "last Tuesday", "two weeks ago", "yesterday"    the days or week meant, relative to today
 *
 * All times are UTC, and written dates are taken as written, so that the same entries give the same hits everywhere.
 */
import { DAY_MS, formatDay } from "../base/days.js";

const MONTHS = [
  "january",
  "february",
  "march",
  "april",
  "may",
  "june",
  "july",
  "august",
  "september",
  "october",
  "november",
  "december",
];
const WEEKDAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
const NUMBERS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

const month = `(${MONTHS.map((name) => `${name.slice(0, 3)}(?:${name.slice(3)}|\\.|t)?`).join("|")})`;
const day = "(\\d{1,2})(?:st|nd|rd|th)?";
const year = "(\\d{4})";
const weekday = `(${WEEKDAYS.join("|")})`;

/** Milliseconds since 1970 of the date; `undefined` if there is none. */
export function readDate(given: string | number | Date): number | undefined {
  if (typeof given !== "string") return checked(Number(given));
  const iso = /^\s*(\d{4})[-/](\d{2})[-/](\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2}))?)?/.exec(given);
  if (iso) {
    const exact = /(?:Z|[+-]\d{2}:?\d{2})\s*$/.test(given) ? Date.parse(given.trim()) : Number.NaN;
    const [, y, m, d, hour = 0, minute = 0, second = 0] = iso;
    const written = Date.UTC(
      Number(y),
      Number(m) - 1,
      Number(d),
      Number(hour),
      Number(minute),
      Number(second),
    );
    return checked(Number.isNaN(exact) ? written : exact);
  }
  const [found] = findWrittenDays(given.toLowerCase());
  const inYear = found?.year ?? Number(/\b\d{4}\b/.exec(given)?.[0] ?? Number.NaN);
  return found && checked(Date.UTC(inYear, found.month, found.day ?? 1));
}

/** The index terms of an entry with this time. */
export function planDateTerms(atMs: number): string[] {
  const at = new Date(atMs);
  const name = MONTHS[at.getUTCMonth()] ?? "";
  const iso = at.toISOString();
  const dayOfMonth = String(at.getUTCDate()).padStart(2, "0");
  return [
    iso.slice(0, -20),
    name,
    iso.slice(0, -17),
    iso.slice(0, -14),
    `${name}-${dayOfMonth}`,
    WEEKDAYS[at.getUTCDay()] ?? "",
    weekOf(atMs),
  ];
}

/** The terms for times that a question mentions, relative to `nowMs`. */
export function findDateTerms(question: string, nowMs: number): string[] {
  const text = question.toLowerCase();
  const isoDays = [...text.matchAll(/\b\d{4}-\d{2}(-\d{2})?\b/g)].map(([iso]) => iso);
  return [...new Set([...isoDays, ...findWritten(text), ...findRelative(text, nowMs)])];
}

interface WrittenDay {
  year?: number;
  /** From 0. */
  month: number;
  day?: number;
}

function findWrittenDays(text: string): WrittenDay[] {
  const patterns: [RegExp, (groups: (string | undefined)[]) => (string | undefined)[]][] = [
    [new RegExp(`\\b${day}(?: of)? ${month}(?:,? ${year})?\\b`, "g"), ([d, m, y]) => [y, m, d]],
    [new RegExp(`\\b${month} ${day}(?:,? ${year})?(?!\\d)`, "g"), ([m, d, y]) => [y, m, d]],
    [new RegExp(`\\b${month}(?: of)?,? ${year}\\b`, "g"), ([m, y]) => [y, m, undefined]],
  ];
  return patterns.flatMap(([pattern, order]) =>
    [...text.matchAll(pattern)].map(([, ...groups]) => {
      const [y, m, d] = order(groups);
      const index = MONTHS.findIndex((name) => name.startsWith((m ?? "").slice(0, 3)));
      return { month: index, ...(y && { year: Number(y) }), ...(d && { day: Number(d) }) };
    }),
  );
}

function findWritten(text: string): string[] {
  return findWrittenDays(text).flatMap(({ year, month, day }) => {
    const name = MONTHS[month] ?? "";
    const two = (number: number): string => String(number).padStart(2, "0");
    const yearMonth = year === undefined ? [] : [`${year}-${two(month + 1)}`];
    if (day === undefined) return yearMonth;
    return [`${name}-${two(day)}`, ...yearMonth, ...yearMonth.map((start) => `${start}-${two(day)}`)];
  });
}

function findRelative(text: string, nowMs: number): string[] {
  const today = Math.floor(nowMs / DAY_MS) * DAY_MS;
  const found: string[] = [];
  const addDay = (daysAgo: number): void => void found.push(dayOf(today - daysAgo * DAY_MS));
  if (/\btoday\b|\bthis (morning|afternoon)\b/.test(text)) addDay(0);
  if (/\byesterday\b|\blast night\b/.test(text)) addDay(1);
  for (const [, name] of text.matchAll(new RegExp(`\\b(?:last|on|this|past) ${weekday}\\b`, "g")))
    addDay((new Date(today).getUTCDay() - WEEKDAYS.indexOf(name ?? "") + 7) % 7 || 7);
  for (const [, number, unit] of text.matchAll(/\b(an?|\d{1,3}|[a-z]+) (day|week|month|year)s? ago\b/g)) {
    const count = countOf(number ?? "");
    if (count !== undefined) found.push(unitOf(unit ?? "", count, today));
  }
  for (const [, which, unit] of text.matchAll(/\b(last|past|previous|this) (week|month|year)\b/g))
    found.push(unitOf(unit ?? "", which === "this" ? 0 : 1, today));
  return found.filter((term) => term !== "");
}

function countOf(number: string): number | undefined {
  if (/^an?$/.test(number)) return 1;
  const count = /^\d+$/.test(number) ? Number(number) : NUMBERS.indexOf(number);
  return count >= 0 ? count : undefined;
}

function unitOf(unit: string, count: number, today: number): string {
  const at = new Date(today);
  if (unit === "day") return dayOf(today - count * DAY_MS);
  if (unit === "week") return checked(today) === undefined ? "" : weekOf(today - count * 7 * DAY_MS);
  if (unit === "year") return String(at.getUTCFullYear() - count);
  return dayOf(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() - count, 1)).slice(0, 7);
}

function dayOf(atMs: number): string {
  return checked(atMs) === undefined ? "" : formatDay(atMs);
}

/** The ISO week: it belongs to the year of its Thursday. */
function weekOf(atMs: number): string {
  const at = Math.floor(atMs / DAY_MS) * DAY_MS;
  const thursday = at + (4 - (new Date(at).getUTCDay() || 7)) * DAY_MS;
  const ofYear = new Date(thursday).getUTCFullYear();
  const week = 1 + Math.floor((thursday - Date.UTC(ofYear, 0, 1)) / (7 * DAY_MS));
  return `${ofYear}-w${String(week).padStart(2, "0")}`;
}

/** `undefined` outside the years 1 to 9999. */
function checked(atMs: number): number | undefined {
  return atMs >= -62_135_596_800_000 && atMs <= 253_402_300_799_999 ? atMs : undefined;
}
