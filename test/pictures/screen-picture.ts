/** What a terminal shows, cell by cell, as a picture; and several of them, one after another, as a moving one. Pure. */
import type { Cell, Screen } from "../host/terminal/screen.js";
import { escapeMarkup } from "./terminal-picture.js";

export interface Frame {
  screen: Screen;
  /** How long it stays. */
  seconds: number;
}

const COLUMN = 8.4;
const LINE = 18;
const PADDING = 12;
const BASELINE = 0.74;

/** Characters that touch their neighbours, as parts of their cell: x, y, width, height. */
const SHAPES: Readonly<Record<string, readonly [number, number, number, number]>> = {
  "█": [0, 0, 1, 1],
  "▀": [0, 0, 1, 0.5],
  "▄": [0, 0.5, 1, 0.5],
  "▌": [0, 0, 0.5, 1],
  "▐": [0.5, 0, 0.5, 1],
  "▁": [0, 0.875, 1, 0.125],
  "▂": [0, 0.75, 1, 0.25],
  "▃": [0, 0.625, 1, 0.375],
  "▅": [0, 0.375, 1, 0.625],
  "▆": [0, 0.25, 1, 0.75],
  "▇": [0, 0.125, 1, 0.875],
  "▏": [0, 0, 0.125, 1],
  "▎": [0, 0, 0.25, 1],
  "▍": [0, 0, 0.375, 1],
  "▋": [0, 0, 0.625, 1],
  "▊": [0, 0, 0.75, 1],
  "▉": [0, 0, 0.875, 1],
  "│": [0.44, 0, 0.12, 1],
  "┃": [0.38, 0, 0.24, 1],
  "╹": [0.38, 0, 0.24, 0.5],
  "╻": [0.38, 0.5, 0.24, 0.5],
  "─": [0, 0.47, 1, 0.06],
  "━": [0, 0.44, 1, 0.12],
  "░": [0, 0, 1, 1],
  "▒": [0, 0, 1, 1],
  "▓": [0, 0, 1, 1],
  "▪": [0.22, 0.38, 0.56, 0.26],
  "■": [0.08, 0.3, 0.84, 0.4],
  "⬝": [0.3, 0.42, 0.4, 0.18],
};
/** Of those that are drawn with dots. */
const OPACITY: Readonly<Record<string, number>> = { "░": 0.25, "▒": 0.5, "▓": 0.75 };

export function drawScreen(screen: Screen, title: string): string {
  return wrap(screen, title, drawRows(screen).join("\n"));
}

/** Every row is drawn once for each of its contents, and shown while a frame has it. Repeats for ever. */
export function drawRecording(frames: readonly Frame[], title: string): string {
  const [first] = frames;
  if (!first) throw new Error("a recording needs a frame");
  const shown = new Map<string, Set<number>>();
  for (const [index, { screen }] of frames.entries())
    for (const row of drawRows(screen)) shown.set(row, (shown.get(row) ?? new Set()).add(index));
  const patterns = [...new Set([...shown.values()].map(keyOf))];
  const last = frames.length - 1;
  const drawn = [...shown].map(([row, indexes]) => {
    const classes = `r p${patterns.indexOf(keyOf(indexes))}${indexes.has(last) ? " l" : ""}`;
    return `<g class="${classes}">${row}</g>`;
  });
  return wrap(first.screen, title, `<style>${formatStyle(patterns, frames)}</style>\n${drawn.join("\n")}`);
}

const keyOf = (indexes: ReadonlySet<number>): string => [...indexes].join(",");

/** Who wants no motion sees the last frame. */
function formatStyle(patterns: readonly string[], frames: readonly Frame[]): string {
  const total = frames.reduce((sum, { seconds }) => sum + seconds, 0);
  const rules = patterns.map((pattern, index) => {
    const indexes = new Set(pattern.split(",").map(Number));
    let at = 0;
    const steps = frames.map(({ seconds }, frame) => {
      const isSame = frame > 0 && indexes.has(frame) === indexes.has(frame - 1);
      const step = `${round((at / total) * 100)}%{visibility:${indexes.has(frame) ? "visible" : "hidden"}}`;
      at += seconds;
      return isSame ? "" : step;
    });
    return `@keyframes k${index}{${steps.join("")}}.p${index}{animation:k${index} ${round(total)}s step-end infinite}`;
  });
  const still =
    "@media (prefers-reduced-motion:reduce){.r{animation:none;visibility:hidden}.l{visibility:visible}}";
  return `${rules.join("")}${still}`;
}

function wrap({ columns, paper, rows, ...screen }: Screen, title: string, contents: string): string {
  const width = Math.ceil(columns * COLUMN + 2 * PADDING);
  const height = rows * LINE + 2 * PADDING;
  const back = findPaper({ columns, paper, rows, ...screen });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" \
role="img" font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" xml:space="preserve">
<title>${escapeMarkup(title)}</title>
<rect width="${width}" height="${height}" rx="8" fill="${back}"/>
${contents}
</svg>
`;
}

/** Colour at the corner: the picture's edge continues it. */
const findPaper = ({ cells, paper }: Screen): string => cells[0]?.[0]?.paper ?? paper;

interface Placed extends Cell {
  column: number;
}

function drawRows(screen: Screen): string[] {
  const back = findPaper(screen);
  return screen.cells.map((cells, row) => {
    let column = 0;
    const placed = cells.map((cell): Placed => {
      const at = { ...cell, column };
      column += cell.width;
      return at;
    });
    const papers = group(placed, (one, other) => one.paper === other.paper).filter(
      ([cell]) => cell?.paper !== back,
    );
    return [
      ...papers.map((run) => drawPaper(run, row)),
      ...group(placed, isLike).map((run) => drawRun(run, row)),
    ]
      .filter(Boolean)
      .join("");
  });
}

/** Neighbours that are drawn at once. */
function group(cells: readonly Placed[], isSame: (one: Placed, other: Placed) => boolean): Placed[][] {
  const runs: Placed[][] = [];
  for (const cell of cells) {
    const run = runs.at(-1);
    if (run?.[0] && isSame(run[0], cell)) run.push(cell);
    else runs.push([cell]);
  }
  return runs;
}

function isLike(one: Placed, other: Placed): boolean {
  if (SHAPES[one.text] || SHAPES[other.text]) return one.text === other.text && one.ink === other.ink;
  return (
    one.ink === other.ink &&
    one.isBold === other.isBold &&
    one.isDim === other.isDim &&
    one.isItalic === other.isItalic &&
    one.isUnderlined === other.isUnderlined
  );
}

function drawPaper(run: readonly Placed[], row: number): string {
  const [first] = run;
  if (!first) return "";
  // A little lower than the row, so that no line shows between two rows.
  return drawBox(first.column, row, columnsOf(run), 1.03, first.paper);
}

function drawRun(run: readonly Placed[], row: number): string {
  const [first] = run;
  if (!first) return "";
  const shape = SHAPES[first.text];
  if (!shape) return drawText(run, row);
  const [x, y, width, height] = shape;
  const opacity = OPACITY[first.text];
  const ink = opacity === undefined ? first.ink : `${first.ink}" opacity="${opacity}`;
  if (width === 1) return drawBox(first.column, row + y, columnsOf(run), height, ink);
  return run.map(({ column }) => drawBox(column + x, row + y, width, height, first.ink)).join("");
}

/** Words that stand together are one piece; what is further apart begins at its own column. */
function drawText(run: readonly Placed[], row: number): string {
  const pieces: Placed[][] = [];
  for (const [index, cell] of run.entries()) {
    const isGap = cell.text === " " && (run[index + 1]?.text ?? " ") === " ";
    const piece = pieces.at(-1);
    const isNext = piece && piece.at(-1)?.column === cell.column - (piece.at(-1)?.width ?? 1);
    if (isGap || (cell.text === " " && !isNext)) continue;
    if (isNext) piece.push(cell);
    else pieces.push([cell]);
  }
  return pieces.map((piece) => drawPiece(piece, row)).join("");
}

function drawPiece(piece: readonly Placed[], row: number): string {
  const [first] = piece;
  if (!first) return "";
  const style = [
    first.isBold ? ' font-weight="bold"' : "",
    first.isItalic ? ' font-style="italic"' : "",
    first.isUnderlined ? ' text-decoration="underline"' : "",
    first.isDim ? ' opacity="0.6"' : "",
  ].join("");
  const [x, y] = [PADDING + first.column * COLUMN, PADDING + (row + BASELINE) * LINE];
  const stretch = ` textLength="${round(columnsOf(piece) * COLUMN)}" lengthAdjust="spacingAndGlyphs"`;
  const text = escapeMarkup(piece.map((cell) => cell.text).join(""));
  return `<text x="${round(x)}" y="${round(y)}"${stretch} fill="${first.ink}"${style}>${text}</text>`;
}

function drawBox(column: number, row: number, columns: number, lines: number, colour: string): string {
  const [x, y] = [PADDING + column * COLUMN, PADDING + row * LINE];
  return `<rect x="${round(x)}" y="${round(y)}" width="${round(columns * COLUMN)}" height="${round(lines * LINE)}" fill="${colour}"/>`;
}

const columnsOf = (cells: readonly Cell[]): number => cells.reduce((sum, { width }) => sum + width, 0);

const round = (value: number): number => Math.round(value * 10) / 10;
