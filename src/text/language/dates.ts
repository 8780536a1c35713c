/**
 * Makes relative dates absolute: "yesterday" is true for a day. The words stay and the date is added after them, so
 * that repeating it changes nothing.
 *
 *     yesterday            → yesterday (2026-11-20)
 *     three weeks ago      → three weeks ago (2026-10-31)
 *     last week, 上周      → last week (week of 2026-11-09), 上周 (week of 2026-11-09)
 *     next month           → next month (2026-12)
 *     next Friday          → next Friday (as of 2026-11-21): people do not agree which one that is
 *
 * A wrong date is worse than none. A text with its own date is left alone, because its "yesterday" is relative to that
 * date; so are names, code, quotations, and words for any day: "every yesterday", "expires in 30 days", "the today
 * view".
 */
import { DAY_MS, formatDay } from "../../base/days.js";

/** The text with its dates made absolute, relative to the day it was said in the speaker's time zone. */
export function withAbsoluteDates(text: string, saidMs: number): string {
  if (Number.isNaN(saidMs) || OWN_DATE.test(text)) return text;
  // In UTC, "today" is another day on an American evening or a Chinese morning.
  const localMs = saidMs - new Date(saidMs).getTimezoneOffset() * MINUTE_MS;
  const pieces = text.split(VERBATIM);
  return pieces.map((piece, index) => (index % 2 === 1 ? piece : dateAll(piece, localMs))).join("");
}

const MINUTE_MS = 60_000;
const MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec";
const OWN_DATE = new RegExp(
  [
    String.raw`\b(?:19|20)\d\d[-/.]\d\d?\b`,
    String.raw`\((?:(?:week|as) of )?(?:19|20)\d\d`,
    String.raw`\b(?:${MONTHS})[a-z]*\.? \d{1,2}\b`,
    String.raw`\b\d{1,2}(?:st|nd|rd|th)?\.? (?:of )?(?:${MONTHS})`,
    String.raw`\b\d{1,2}[/.]\d{1,2}[/.]\d{2,4}\b`,
    "\\d{4} ?年|\\d{1,2} ?月 ?\\d{1,2} ?[日号]",
  ].join("|"),
  "i",
);
/** Code, quoted words, quoted lines. */
const VERBATIM =
  /(```[\s\S]*?(?:```|(?![\s\S]))|~~~[\s\S]*?(?:~~~|(?![\s\S]))|`[^`\n]*`|^[ \t]*>.*$|"[^"\n]*"|“[^”\n]*”|「[^」\n]*」|《[^》\n]*》|‘[^’\n]*’|(?<![\p{L}\p{N}])'[^'\n]*'(?![\p{L}\p{N}]))/mu;

interface Row {
  words: RegExp;
  /** The date, from the groups that `words` captured. */
  date(saidMs: number, groups: readonly string[]): string | undefined;
}

const NUMBERS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
const CHINESE_NUMBERS = ["零", "一", "两", "三", "四", "五", "六", "七", "八", "九", "十"];
const WEEKDAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
const CHINESE_WEEKDAYS = ["日", "一", "二", "三", "四", "五", "六"];
const COUNT = `\\d{1,3}|${NUMBERS.slice(1).join("|")}|a`;
const CHINESE_COUNT = `\\d{1,3}|[${CHINESE_NUMBERS.join("")}二]`;
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

const english = (words: string): RegExp =>
  new RegExp(`${BARE}${NOT_BEFORE}(?:${words})\\b${BARE_END}${NOT_BEHIND}${UNDATED}`, "gi");
const chinese = (words: string): RegExp =>
  new RegExp(`(?<![\\w大每零一二两三四五六七八九十百千万几数半])(?:${words})${UNDATED}`, "g");

const ROWS: readonly Row[] = [
  { words: english("(?:the )?day before yesterday"), date: (said) => day(said, -2) },
  { words: english("(?:the )?day after tomorrow"), date: (said) => day(said, 2) },
  { words: english("(?<!day before )yesterday"), date: (said) => day(said, -1) },
  { words: english("today|tonight|this morning|this afternoon|this evening"), date: (said) => day(said, 0) },
  { words: english("(?<!day after )tomorrow"), date: (said) => day(said, 1) },
  {
    words: english(`(${COUNT}) (day|week|month|year)s? ago`),
    date: (said, [count = "", unit = ""]) => shift(said, -readCount(count), unit),
  },
  {
    words: english("(last|this|next) (week|month|year)"),
    date: (said, [which = "", unit = ""]) => period(said, stepOf(which), unit),
  },
  {
    words: english(`(?:last|next|this) (?:${WEEKDAYS.join("|")})`),
    date: (said) => `as of ${day(said, 0)}`,
  },
  { words: chinese("前天"), date: (said) => day(said, -2) },
  { words: chinese("昨天|昨晚"), date: (said) => day(said, -1) },
  { words: chinese("今天|今晚|今早"), date: (said) => day(said, 0) },
  { words: chinese("(?<![聪声证表标透发])明天|明早|明晚"), date: (said) => day(said, 1) },
  { words: chinese("后天(?![的性])"), date: (said) => day(said, 2) },
  {
    words: chinese(`(${CHINESE_COUNT})个?(天|周|星期|月|年)之?前(?![端后台置缀者提往])`),
    date: (said, [count = "", unit = ""]) => shift(said, -readCount(count), unitOf(unit)),
  },
  {
    words: chinese("([上下])个?(?:周|星期)([一二三四五六日天])"),
    date: (said, [which = "", name = ""]) =>
      weekdayOfWeek(said, CHINESE_WEEKDAYS.indexOf(name === "天" ? "日" : name), which === "上" ? -1 : 1),
  },
  {
    words: chinese("([上这本下])个?(周|星期|月)(?![一二三四五六日天期转报刊岁年球])"),
    date: (said, [which = "", unit = ""]) =>
      period(said, which === "上" ? -1 : which === "下" ? 1 : 0, unitOf(unit)),
  },
];

function dateAll(text: string, saidMs: number): string {
  let dated = text;
  for (const { words, date } of ROWS) {
    dated = dated.replace(words, (found: string, ...rest: unknown[]) => {
      const groups = rest.slice(0, -2).map((one) => String(one ?? ""));
      const absolute = date(saidMs, groups);
      return absolute === undefined ? found : `${found} (${absolute})`;
    });
  }
  return dated;
}

const day = (saidMs: number, days: number): string => formatDay(saidMs + days * DAY_MS);

function shift(saidMs: number, count: number, unit: string): string | undefined {
  if (!Number.isFinite(count)) return undefined;
  if (unit.toLowerCase() === "day") return day(saidMs, count);
  if (unit.toLowerCase() === "week") return day(saidMs, 7 * count);
  return unit.toLowerCase() === "month" ? month(saidMs, count) : year(saidMs, count);
}

function period(saidMs: number, step: number, unit: string): string {
  if (unit.toLowerCase() === "week") return `week of ${formatDay(startOfWeek(saidMs) + 7 * step * DAY_MS)}`;
  return unit.toLowerCase() === "month" ? month(saidMs, step) : year(saidMs, step);
}

function month(saidMs: number, step: number): string {
  const said = new Date(saidMs);
  return new Date(Date.UTC(said.getUTCFullYear(), said.getUTCMonth() + step, 1)).toISOString().slice(0, 7);
}

const year = (saidMs: number, step: number): string => String(new Date(saidMs).getUTCFullYear() + step);

/** Monday. */
function startOfWeek(timeMs: number): number {
  return timeMs - ((new Date(timeMs).getUTCDay() + 6) % 7) * DAY_MS;
}

/** The date of that weekday, `step` weeks from now. */
function weekdayOfWeek(saidMs: number, wanted: number, step: number): string {
  return formatDay(startOfWeek(saidMs) + (7 * step + ((wanted + 6) % 7)) * DAY_MS);
}

const stepOf = (which: string): number => ({ last: -1, this: 0, next: 1 })[which.toLowerCase()] ?? 0;
const unitOf = (unit: string): string =>
  ({ 天: "day", 周: "week", 星期: "week", 月: "month" })[unit] ?? "year";

function readCount(text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  if (/^an?$/i.test(text)) return 1;
  if (text === "二") return 2;
  const index = Math.max(NUMBERS.indexOf(text.toLowerCase()), CHINESE_NUMBERS.indexOf(text));
  return index === -1 ? Number.NaN : index;
}
