/** What a terminal shows, as text and as cells with their colours. Pure, apart from reading the terminal's buffer. */
import type { Terminal } from "@xterm/headless";

export interface Cell {
  /** One character with its marks; a blank is a space. */
  text: string;
  /** Columns that it takes. */
  width: 1 | 2;
  /** Colours of the text and behind it, `#rrggbb`, with reverse video applied. */
  ink: string;
  paper: string;
  isBold: boolean;
  isDim: boolean;
  isItalic: boolean;
  isUnderlined: boolean;
}

export interface Screen {
  columns: number;
  rows: number;
  /** Cells of each row, from the left. */
  cells: readonly (readonly Cell[])[];
  /** Colour of what no program has drawn on. */
  paper: string;
}

/** The terminal's own colours, which it also tells a program that asks. */
export interface Colours {
  ink: string;
  paper: string;
}

export const DARK: Colours = { ink: "#e6e6e6", paper: "#101010" };
export const LIGHT: Colours = { ink: "#1a1a1a", paper: "#ffffff" };

/** The first sixteen of xterm's palette. */
const NAMED = (
  "#000000 #cd0000 #00cd00 #cdcd00 #0000ee #cd00cd #00cdcd #e5e5e5 " +
  "#7f7f7f #ff0000 #00ff00 #ffff00 #5c5cff #ff00ff #00ffff #ffffff"
).split(" ");
/** Steps of the palette's cube of 6 × 6 × 6 colours. */
const STEPS = [0, 95, 135, 175, 215, 255];

export function readScreen(terminal: Terminal, own: Colours): Screen {
  const { active } = terminal.buffer;
  const cells = Array.from({ length: terminal.rows }, (_, row) => {
    const line = active.getLine(active.viewportY + row);
    return Array.from({ length: terminal.cols }, (__, column) => line?.getCell(column)).flatMap((cell) =>
      cell ? readCell(cell, own) : [],
    );
  });
  return { columns: terminal.cols, rows: terminal.rows, cells, paper: own.paper };
}

type BufferCell = NonNullable<
  ReturnType<NonNullable<ReturnType<Terminal["buffer"]["active"]["getLine"]>>["getCell"]>
>;

/** Nothing for the second half of a wide character. */
function readCell(cell: BufferCell, own: Colours): Cell[] {
  const width = cell.getWidth();
  if (width === 0) return [];
  const front = cell.isFgRGB()
    ? toHex(cell.getFgColor())
    : cell.isFgPalette()
      ? paletteColour(cell.getFgColor())
      : own.ink;
  const back = cell.isBgRGB()
    ? toHex(cell.getBgColor())
    : cell.isBgPalette()
      ? paletteColour(cell.getBgColor())
      : own.paper;
  const [ink, paper] = cell.isInverse() ? [back, front] : [front, back];
  return [
    {
      text: cell.isInvisible() ? " " : cell.getChars() || " ",
      width: width === 2 ? 2 : 1,
      ...{ ink, paper },
      isBold: cell.isBold() !== 0,
      isDim: cell.isDim() !== 0,
      isItalic: cell.isItalic() !== 0,
      isUnderlined: cell.isUnderline() !== 0,
    },
  ];
}

/** Colour of a number in the palette of 256. */
export function paletteColour(index: number): string {
  const named = NAMED[index];
  if (named !== undefined) return named;
  if (index >= 232) return toHex((8 + (index - 232) * 10) * 0x010101);
  const [red, green, blue] = [36, 6, 1].map((unit) => STEPS[Math.floor((index - 16) / unit) % 6] ?? 0);
  return toHex(((red ?? 0) << 16) | ((green ?? 0) << 8) | (blue ?? 0));
}

const toHex = (colour: number): string => `#${colour.toString(16).padStart(6, "0")}`;

/** The text of the columns from `from` up to `to`, one line for each row, without blanks at the end. */
export function formatScreen({ cells, columns }: Screen, from = 0, to = columns): string {
  return cells.map((row) => cut(row, from, to).trimEnd()).join("\n");
}

function cut(row: readonly Cell[], from: number, to: number): string {
  let column = 0;
  let text = "";
  for (const cell of row) {
    if (column >= from && column < to) text += cell.text;
    column += cell.width;
  }
  return text;
}
