/** Text in a terminal's columns: wide characters take two, combining marks none. Pure. */

/** Ranges that take two columns (Unicode 16, EastAsianWidth W and F, and emoji), in order. */
const WIDE: readonly (readonly [from: number, to: number])[] = [
  [0x1100, 0x115f],
  [0x231a, 0x231b],
  [0x23e9, 0x23ec],
  [0x2705, 0x2705],
  [0x274c, 0x274c],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xa000, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x1f300, 0x1f64f],
  [0x1f680, 0x1f6ff],
  [0x1f900, 0x1f9ff],
  [0x1fa70, 0x1faff],
  [0x20000, 0x3fffd],
];
const TAKES_NONE = /^(?:\p{Mn}|\p{Me}|\p{Cf})$/u;
const ELLIPSIS = "…";

/** Number of columns that the text takes. */
export function countColumns(text: string): number {
  let columns = 0;
  for (const letter of text) columns += columnsOf(letter);
  return columns;
}

function columnsOf(letter: string): number {
  const code = letter.codePointAt(0) ?? 0;
  if (code < 0x300) return code < 0x20 ? 0 : 1;
  if (TAKES_NONE.test(letter)) return 0;
  return WIDE.some(([from, to]) => code >= from && code <= to) ? 2 : 1;
}

/** The text on one line, shortened to at most `most` columns. */
export function fit(text: string, most: number): string {
  const line = text.replace(/\s+/gu, " ").trim();
  if (countColumns(line) <= most) return line;
  if (most < 1) return "";
  const head = takeColumns(line, most - 1).trimEnd();
  return countColumns(head) < most ? head + ELLIPSIS : ELLIPSIS;
}

/** The text, then spaces up to `columns`. */
export const padTo = (text: string, columns: number): string =>
  text + " ".repeat(Math.max(0, columns - countColumns(text)));

/** A text at the left and one at the right edge; the left one is shortened to leave one space. */
export function spread(left: string, right: string, columns: number): string {
  const room = columns - countColumns(right);
  return room < 2 ? fit(right, columns) : padTo(fit(left, room - 1), room) + right;
}

/** Lines of at most `columns`, broken between words; longer words are broken themselves. */
export function wrap(text: string, columns: number, most = Number.POSITIVE_INFINITY): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/u).filter((one) => one !== "")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (countColumns(longer) <= columns) {
      line = longer;
      continue;
    }
    if (line !== "") lines.push(line);
    line = word;
    while (countColumns(line) > columns) {
      const head = takeColumns(line, columns);
      lines.push(head);
      line = line.slice(head.length);
    }
  }
  if (line !== "") lines.push(line);
  if (lines.length <= most) return lines;
  return [...lines.slice(0, most - 1), fit(lines.slice(most - 1).join(" "), columns)];
}

/** At least one letter, so that a caller who repeats it ends. */
function takeColumns(text: string, most: number): string {
  let columns = 0;
  let end = 0;
  for (const letter of text) {
    columns += columnsOf(letter);
    if (columns > most && end > 0) break;
    end += letter.length;
  }
  return text.slice(0, end);
}
