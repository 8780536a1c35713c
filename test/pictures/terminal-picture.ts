/** Text as a terminal shows it, as a picture: an SVG whose columns stand where they stand in the text. Pure. */
export interface TerminalPicture {
  /** What was typed. */
  typed: string;
  /** What came. */
  text: string;
}

const MOST_COLUMNS = 132;
const COLUMN = 7.8;
const LINE = 19;
const PADDING = 18;
const PAPER = "#161b22";
const INK = "#d6dde6";
const FAINT = "#7d8793";

/** Every piece is stretched to its columns, whatever font there is. */
export function drawTerminal({ text, typed }: TerminalPicture): string {
  const lines = text.split("\n").flatMap(wrap);
  const columns = Math.max(typed.length, ...lines.map(({ length }) => length));
  const width = Math.ceil(columns * COLUMN + 2 * PADDING);
  const height = (lines.length + 2) * LINE + 2 * PADDING;
  const drawn = lines.map((line, index) => drawLine(line, index + 2, INK));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" \
role="img" font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="13">
<title>${escapeMarkup(typed)}</title>
<rect width="${width}" height="${height}" rx="8" fill="${PAPER}"/>
${drawLine(typed, 0, FAINT)}
${drawn.filter(Boolean).join("\n")}
</svg>
`;
}

/** As a terminal breaks a long line, but below the words it goes on from. */
function wrap(line: string): string[] {
  if (line.length <= MOST_COLUMNS) return [line];
  const end = line.lastIndexOf(" ", MOST_COLUMNS);
  const indent = /^\S.*?\s{2,}|^\s*/.exec(line)?.[0].length ?? 0;
  if (end <= indent) return [line];
  return [line.slice(0, end), ...wrap(`${" ".repeat(indent)}${line.slice(end + 1)}`)];
}

/** Words that stand together are one piece; what is further apart begins at its own column. */
function drawLine(line: string, row: number, colour: string): string {
  const y = PADDING + (row + 0.75) * LINE;
  return [...line.matchAll(/\S+(?: \S+)*/g)]
    .map(({ 0: words, index }) => {
      const x = PADDING + index * COLUMN;
      const stretch = `textLength="${round(words.length * COLUMN)}" lengthAdjust="spacingAndGlyphs"`;
      return `<text x="${round(x)}" y="${round(y)}" ${stretch} fill="${colour}">${escapeMarkup(words)}</text>`;
    })
    .join("");
}

export const escapeMarkup = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

const round = (value: number): number => Math.round(value * 10) / 10;
