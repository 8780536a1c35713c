/**
 * A page of text in sections, at most 72 columns wide: it is shown in a message of 80 columns and in narrow terminals.
 *
 *     Heading
 *       Label           text, wrapped to the column
 *                       of the text
 */

/** Emphasis of labels. Messages in a session have no colours. */
export interface StatusStyle {
  bold(text: string): string;
  yellow(text: string): string;
}

/** A label and a text. Without a label the text continues the rows before, or is an item of its own in a list. */
export type Row = readonly [label: string, text: string];

export interface Section {
  heading: string;
  rows: readonly Row[];
  /** The rows are sentences without labels, about something wrong. */
  isList?: boolean;
}

export const COLUMNS = 72;
const INDENT = "  ";
const LABEL_COLUMNS = 16;
const TEXT_COLUMN = INDENT.length + LABEL_COLUMNS;
const BULLET = "- ";

/** Sections without rows are left out. */
export function formatSections(sections: readonly Section[], style: StatusStyle): string {
  return sections
    .filter(({ rows }) => rows.length > 0)
    .map(({ heading, isList, rows }) => {
      const lines = rows.flatMap((row) => (isList ? formatItem(row) : formatRow(row, style)));
      const head = wrap(heading, COLUMNS).map(isList ? style.yellow : style.bold);
      return [...head, ...lines].join("\n");
    })
    .join("\n\n");
}

function formatRow([label, text]: Row, style: StatusStyle): string[] {
  const [first = "", ...rest] = wrap(text, COLUMNS - TEXT_COLUMN);
  const head = `${INDENT}${style.bold(label)}${" ".repeat(Math.max(1, LABEL_COLUMNS - label.length))}`;
  return [(label === "" ? " ".repeat(TEXT_COLUMN) : head) + first, ...rest.map(indentTo(TEXT_COLUMN))];
}

function formatItem([, text]: Row): string[] {
  const column = INDENT.length + BULLET.length;
  const [first = "", ...rest] = wrap(text, COLUMNS - column);
  return [`${INDENT}${BULLET}${first}`, ...rest.map(indentTo(column))];
}

const indentTo =
  (column: number) =>
  (line: string): string =>
    " ".repeat(column) + line;

/** Lines of at most `width` characters, broken at spaces; a longer word is broken in itself. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/u).filter((one) => one !== "")) {
    const joined = line === "" ? word : `${line} ${word}`;
    if (joined.length <= width) {
      line = joined;
      continue;
    }
    if (line !== "") lines.push(line);
    line = word;
    while (line.length > width) {
      lines.push(line.slice(0, width));
      line = line.slice(width);
    }
  }
  return line === "" && lines.length > 0 ? lines : [...lines, line];
}
