/**
 * Dates in words, English and Chinese.
 *
 *     in a memory     a relative date gets its date added, once: "yesterday" is true for a day
 *                       yesterday → yesterday (2026-11-20)         three weeks ago → three weeks ago (2026-10-31)
 *                       last week → last week (week of 2026-11-09)  next month → next month (2026-12)
 *                       next Friday → next Friday (as of 2026-11-21): people do not agree which one that is
 *     in an index     a date becomes terms, so that a question about a time finds entries of that date
 *                       2023-05-08 → 2023, may, 2023-05, 2023-05-08, may-08, monday, 2023-w19
 *     in a question   "in May 2023" → 2023-05, "on 8 May" → may-08, "last Tuesday", "two weeks ago" → the day or week meant
 *
 * In a memory a wrong date is worse than none. A text with its own date is left alone, because its "yesterday" is relative
 * to that date; so are names, code, quotations, and words for any day: "every yesterday", "expires in 30 days", "the today
 * view". In a question a wrong term only finds less. Terms are in UTC, and written dates are taken as written, so that the
 * same entries give the same hits everywhere.
 */
import { DAY_MS, formatDay } from "../base/days.js";

const MONTHS = "january february march april may june july august september october november december".split(
  " ",
);
const WEEKDAYS = "sunday monday tuesday wednesday thursday friday saturday".split(" ");
const NUMBERS = "zero one two three four five six seven eight nine ten".split(" ");
const CHINESE_NUMBERS = [..."零一两三四五六七八九十"];
const CHINESE_WEEKDAYS = [..."日一二三四五六"];
const CHINESE_UNITS: Readonly<Record<string, Unit>> = { 天: "day", 周: "week", 星期: "week", 月: "month" };

type Unit = "day" | "week" | "month" | "year";

/** What relative words mean: a day, or the period of that unit around it. */
interface Meant {
  unit: Unit;
  atMs: number;
  /** "This week" rather than "a week ago". */
  isPeriod?: boolean;
}

const dayAt = (atMs: number, days: number): Meant => ({ unit: "day", atMs: atMs + days * DAY_MS });

function shift(atMs: number, count: number, unit: Unit, isPeriod = false): Meant | undefined {
  if (!Number.isFinite(count)) return undefined;
  const at = new Date(atMs);
  if (unit === "day") return dayAt(atMs, count);
  if (unit === "week") return { unit, atMs: atMs + 7 * count * DAY_MS, isPeriod };
  const months = unit === "month" ? count : 12 * count;
  return { unit, atMs: Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + months, 1), isPeriod };
}

/** Monday. */
const startOfWeek = (atMs: number): number => atMs - ((new Date(atMs).getUTCDay() + 6) % 7) * DAY_MS;

function readCount(text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  if (/^an?$/.test(text)) return 1;
  if (text === "二") return 2;
  const index = Math.max(NUMBERS.indexOf(text), CHINESE_NUMBERS.indexOf(text));
  return index === -1 ? Number.NaN : index;
}

const STEPS: Readonly<Record<string, number>> = { last: -1, past: -1, previous: -1, this: 0, next: 1 };

/** Words, and what they mean on the day on which they were said, by the groups that they captured, in lower case. */
type Row = readonly [words: string, mean: (saidMs: number, groups: readonly string[]) => Meant | undefined];

const ENGLISH: readonly Row[] = [
  ["(?:the )?day before yesterday", (said) => dayAt(said, -2)],
  ["(?:the )?day after tomorrow", (said) => dayAt(said, 2)],
  ["(?<!day before )yesterday", (said) => dayAt(said, -1)],
  ["today|tonight|this morning|this afternoon|this evening", (said) => dayAt(said, 0)],
  ["(?<!day after )tomorrow", (said) => dayAt(said, 1)],
  [
    `(\\d{1,3}|${NUMBERS.slice(1).join("|")}|an?) (day|week|month|year)s? ago`,
    (said, [count = "", unit]) => shift(said, -readCount(count), unit as Unit),
  ],
  [
    "(last|this|next) (week|month|year)",
    (said, [which = "", unit]) => shift(said, STEPS[which] ?? 0, unit as Unit, true),
  ],
];

const CHINESE: readonly Row[] = [
  ["前天", (said) => dayAt(said, -2)],
  ["昨天|昨晚", (said) => dayAt(said, -1)],
  ["今天|今晚|今早", (said) => dayAt(said, 0)],
  ["(?<![聪声证表标透发])明天|明早|明晚", (said) => dayAt(said, 1)],
  ["后天(?![的性])", (said) => dayAt(said, 2)],
  [
    `(\\d{1,3}|[${CHINESE_NUMBERS.join("")}二])个?(天|周|星期|月|年)之?前(?![端后台置缀者提往])`,
    (said, [count = "", unit = ""]) => shift(said, -readCount(count), CHINESE_UNITS[unit] ?? "year"),
  ],
  [
    "([上下])个?(?:周|星期)([一二三四五六日天])",
    (said, [which, name = ""]) => {
      const weekday = CHINESE_WEEKDAYS.indexOf(name === "天" ? "日" : name);
      return dayAt(startOfWeek(said), (which === "上" ? -7 : 7) + ((weekday + 6) % 7));
    },
  ],
  [
    "([上这本下])个?(周|星期|月)(?![一二三四五六日天期转报刊岁年球])",
    (said, [which, unit = ""]) =>
      shift(said, which === "上" ? -1 : which === "下" ? 1 : 0, CHINESE_UNITS[unit] ?? "year", true),
  ],
];

/* In a memory. */

/** Not already followed by a date. */
const UNDATED = "(?!\\s*\\((?:(?:week|as) of )?\\d{4})";
/**
 * Not part of a name, a path, a link or a placeholder: `yesterday.ts`, `src/today/`, `--since=yesterday`, `{today}`.
 */
const BARE = "(?<![\\w/.=:@#$%&\\\\{\\[<+*-])";
const BARE_END = "(?![\\w/=:@#$%&\\\\}\\]>+*-]|['’]s|\\.\\w)";
/** Excludes words for any day, "every yesterday", "in the last week", and the end of a larger number. */
const NOT_BEFORE =
  "(?<!\\b(?:every|each|any|all|per|of|the|a|that|than|about|around|almost|nearly|roughly|half|than a|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|\\d[\\d.,]*)[ -])(?<!\\d[.,–-])";
/** Excludes names of UI elements: "the today widget". */
const NOT_BEHIND =
  "(?! (?:of|widgets?|buttons?|tabs?|pages?|columns?|views?|filters?|labels?|links?|fields?|values?|options?|flags?|shows?|functions?|commands?|scripts?|screens?|lists?|and (?:today|tomorrow|yesterday))\\b)";

const inEnglish = (words: string): RegExp =>
  new RegExp(`${BARE}${NOT_BEFORE}(?:${words})\\b${BARE_END}${NOT_BEHIND}${UNDATED}`, "gi");
const inChinese = (words: string): RegExp =>
  new RegExp(`(?<![\\w大每零一二两三四五六七八九十百千万几数半])(?:${words})${UNDATED}`, "g");

const STRICT: readonly (readonly [RegExp, Row[1]])[] = [
  ...ENGLISH.map(([words, mean]) => [inEnglish(words), mean] as const),
  ...CHINESE.map(([words, mean]) => [inChinese(words), mean] as const),
];
const SOME_WEEKDAY = inEnglish(`(?:last|next|this) (?:${WEEKDAYS.join("|")})`);

const SHORT_MONTHS = MONTHS.map((name) => name.slice(0, 3)).join("|");
const OWN_DATE = new RegExp(
  [
    String.raw`\b(?:19|20)\d\d[-/.]\d\d?\b`,
    String.raw`\((?:(?:week|as) of )?(?:19|20)\d\d`,
    String.raw`\b(?:${SHORT_MONTHS})[a-z]*\.? \d{1,2}\b`,
    String.raw`\b\d{1,2}(?:st|nd|rd|th)?\.? (?:of )?(?:${SHORT_MONTHS})`,
    String.raw`\b\d{1,2}[/.]\d{1,2}[/.]\d{2,4}\b`,
    "\\d{4} ?年|\\d{1,2} ?月 ?\\d{1,2} ?[日号]",
  ].join("|"),
  "i",
);
/** Code, quoted words, quoted lines. */
const VERBATIM =
  /(```[\s\S]*?(?:```|(?![\s\S]))|~~~[\s\S]*?(?:~~~|(?![\s\S]))|`[^`\n]*`|^[ \t]*>.*$|"[^"\n]*"|“[^“”\n]*”|「[^「」\n]*」|《[^《》\n]*》|‘[^‘’\n]*’|(?<![\p{L}\p{N}])'[^'\n]*'(?![\p{L}\p{N}]))/mu;

/** More than anybody says at once. */
const MOST_CHARACTERS = 20_000;

/** The text with its dates made absolute, relative to the day it was said in the speaker's time zone. */
export function withAbsoluteDates(text: string, saidMs: number): string {
  if (Number.isNaN(saidMs) || text.length > MOST_CHARACTERS || OWN_DATE.test(text)) return text;
  // In UTC, "today" is another day on an American evening or a Chinese morning.
  const localMs = saidMs - new Date(saidMs).getTimezoneOffset() * 60_000;
  const date = (piece: string): string =>
    STRICT.reduce(
      (dated, [words, mean]) =>
        dated.replace(words, (found: string, ...rest: unknown[]) => {
          const groups = rest.slice(0, -2).map((one) => String(one ?? "").toLowerCase());
          const meant = mean(localMs, groups);
          return meant === undefined ? found : `${found} (${formatMeant(meant)})`;
        }),
      piece,
    ).replace(SOME_WEEKDAY, (found) => `${found} (as of ${formatDay(localMs)})`);
  const pieces = text.split(VERBATIM);
  return pieces.map((piece, index) => (index % 2 === 1 || piece.length < 2 ? piece : date(piece))).join("");
}

function formatMeant({ atMs, isPeriod, unit }: Meant): string {
  if (unit === "week" && isPeriod) return `week of ${formatDay(startOfWeek(atMs))}`;
  const lengths = { day: 10, week: 10, month: 7, year: 4 };
  return formatDay(atMs).slice(0, lengths[unit]);
}

/* In an index and in a question. */

const month = `(${MONTHS.map((name) => `${name.slice(0, 3)}(?:${name.slice(3)}|\\.|t)?`).join("|")})`;
const day = "(\\d{1,2})(?:st|nd|rd|th)?";
const year = "(\\d{4})";

/** Milliseconds since 1970 of the date; `undefined` if there is none. */
export function readDate(given: string | number | Date): number | undefined {
  if (typeof given !== "string") return checked(Number(given));
  const iso = /^\s*(\d{4})[-/](\d{2})[-/](\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2}))?)?/.exec(given);
  if (iso) {
    const exact = /(?:Z|[+-]\d{2}:?\d{2})\s*$/.test(given) ? Date.parse(given.trim()) : Number.NaN;
    const [y = 0, m = 0, d = 0, hour, minute, second] = iso.slice(1).map((one) => Number(one ?? 0));
    return checked(Number.isNaN(exact) ? Date.UTC(y, m - 1, d, hour, minute, second) : exact);
  }
  const [found] = findWrittenDays(given.toLowerCase());
  const inYear = found?.year ?? Number(/\b\d{4}\b/.exec(given)?.[0] ?? Number.NaN);
  return found && checked(Date.UTC(inYear, found.month, found.day ?? 1));
}

/** The index terms of an entry with this time. */
export function planDateTerms(atMs: number): string[] {
  const at = new Date(atMs);
  const iso = at.toISOString();
  const name = MONTHS[at.getUTCMonth()] ?? "";
  const weekday = WEEKDAYS[at.getUTCDay()] ?? "";
  // Of the year 2023, or of the year +012023.
  const [date = ""] = iso.split("T");
  const [ofYear, ofMonth, dayOfMonth] = [date.slice(0, -6), date.slice(0, -3), date.slice(-2)];
  return [ofYear, name, ofMonth, date, `${name}-${dayOfMonth}`, weekday, weekOf(atMs)];
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

const WRITTEN: readonly (readonly [RegExp, order: string])[] = [
  [new RegExp(`\\b${day}(?: of)? ${month}(?:,? ${year})?\\b`, "g"), "dmy"],
  [new RegExp(`\\b${month} ${day}(?:,? ${year})?(?!\\d)`, "g"), "mdy"],
  [new RegExp(`\\b${month}(?: of)?,? ${year}\\b`, "g"), "my"],
];

function findWrittenDays(text: string): WrittenDay[] {
  return WRITTEN.flatMap(([pattern, order]) =>
    [...text.matchAll(pattern)].map(([, ...groups]) => {
      const { d, m = "", y } = Object.fromEntries(groups.map((group, n) => [order[n], group]));
      const index = MONTHS.findIndex((name) => name.startsWith(m.slice(0, 3)));
      return { month: index, ...(y && { year: Number(y) }), ...(d && { day: Number(d) }) };
    }),
  );
}

function findWritten(text: string): string[] {
  return findWrittenDays(text).flatMap(({ year, month, day }) => {
    const two = (number: number): string => String(number).padStart(2, "0");
    const yearMonth = year === undefined ? [] : [`${year}-${two(month + 1)}`];
    if (day === undefined) return yearMonth;
    const days = yearMonth.map((start) => `${start}-${two(day)}`);
    return [`${MONTHS[month]}-${two(day)}`, ...yearMonth, ...days];
  });
}

/** As people ask: "in the past week", "on Tuesday", "last night". */
const ASKED: readonly Row[] = [
  ...ENGLISH,
  ["last night", (now) => dayAt(now, -1)],
  ["(past|previous) (week|month|year)", (now, [, unit]) => shift(now, -1, unit as Unit, true)],
  [
    `(?:last|on|this|past) (${WEEKDAYS.join("|")})`,
    (now, [name = ""]) => dayAt(now, -((new Date(now).getUTCDay() - WEEKDAYS.indexOf(name) + 7) % 7 || 7)),
  ],
];

function findRelative(text: string, nowMs: number): string[] {
  return ASKED.flatMap(([words, mean]) =>
    [...text.matchAll(new RegExp(`\\b(?:${words})\\b`, "g"))].flatMap(([, ...groups]) => {
      const { atMs = Number.NaN, unit = "day" } = mean(nowMs, groups) ?? {};
      if (checked(atMs) === undefined) return [];
      return unit === "week" ? [weekOf(atMs)] : [formatMeant({ atMs, unit })];
    }),
  );
}

/** The ISO week: it belongs to the year of its Thursday. */
function weekOf(atMs: number): string {
  const thursday = startOfWeek(Math.floor(atMs / DAY_MS) * DAY_MS) + 3 * DAY_MS;
  const ofYear = new Date(thursday).getUTCFullYear();
  const week = 1 + Math.floor((thursday - Date.UTC(ofYear, 0, 1)) / (7 * DAY_MS));
  return `${ofYear}-w${String(week).padStart(2, "0")}`;
}

/** `undefined` outside the years 1 to 9999. */
const checked = (atMs: number): number | undefined =>
  atMs >= -62_135_596_800_000 && atMs <= 253_402_300_799_999 ? atMs : undefined;
