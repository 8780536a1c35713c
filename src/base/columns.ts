/** Text in a terminal's columns: wide characters take two, combining marks none. Pure. */
import stringWidth from "string-width";
import { cut } from "./text.js";

const ELLIPSIS = "…";

export const countColumns = (text: string): number => stringWidth(text);

/** The text on one line, shortened to at most `most` columns. */
export function fit(text: string, most: number): string {
  const head = cutTo(text, most);
  const line = head.replace(/\s+/gu, " ").trim();
  if (head.length === text.length && countColumns(line) <= most) return line;
  if (most < 1) return "";
  const shown = takeColumns(line, most - 1).trimEnd();
  return countColumns(shown) < most ? shown + ELLIPSIS : ELLIPSIS;
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
    if (isWithin(longer, columns)) {
      line = longer;
      continue;
    }
    if (line !== "") lines.push(line);
    for (line = word; !isWithin(line, columns) && lines.length <= most; ) {
      const head = takeColumns(line, columns);
      lines.push(head);
      line = line.slice(head.length);
    }
    if (lines.length > most) break;
  }
  if (line !== "") lines.push(line);
  if (lines.length <= most) return lines;
  return [...lines.slice(0, most - 1), fit(lines.slice(most - 1).join(" "), columns)];
}

/** A text may be a megabyte; none of the characters beyond is shown. */
const cutTo = (text: string, columns: number): string => cut(text, 20 * Math.max(0, columns) + 400);
const isWithin = (text: string, columns: number): boolean =>
  cutTo(text, columns).length === text.length && countColumns(text) <= columns;

/** At least one letter, so that a caller who repeats it ends. */
function takeColumns(text: string, most: number): string {
  let columns = 0;
  let end = 0;
  for (const { segment } of new Intl.Segmenter().segment(cutTo(text, most))) {
    columns += countColumns(segment);
    if (columns > most && end > 0) break;
    end += segment.length;
  }
  return text.slice(0, end);
}
