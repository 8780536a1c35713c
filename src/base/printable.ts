/**
 * Makes text safe for a terminal, since any file of the project may have put control sequences into it. Terminal
 * sequences are removed. Characters that reverse the writing direction and rarer control characters are escaped as in
 * JSON (`\u202e`), so that JSON stays valid.
 */

const ESC = "\u001b";
/** Bold, dim, green, yellow, red, and their resets: what `cli/style.ts` writes. */
const STYLES = new RegExp(`(${ESC}\\[(?:1|2|22|31|32|33|39)m)`, "u");
/** Sequences that move the cursor, colour or clear, and those that set a title or a link (ECMA-48). */
const SEQUENCES = new RegExp(
  `${ESC}\\[[0-?]*[ -/]*[@-~]|${ESC}\\][^${ESC}\u0007]*(?:\u0007|${ESC}\\\\)`,
  "gu",
);
const CONTROLS = /[^\P{Cc}\n\t]/gu;
const DIRECTIONS = /[\u{202a}-\u{202e}\u{2066}-\u{2069}]/gu;
const FIRST_RARE = 0x7f;

export function toPrintable(text: string, { withStyles = false } = {}): string {
  if (!withStyles) return clean(text);
  // Splitting by a group puts the styles at odd indices.
  return text
    .split(STYLES)
    .map((piece, index) => (index % 2 === 1 ? piece : clean(piece)))
    .join("");
}

function clean(text: string): string {
  return text
    .replace(SEQUENCES, "")
    .replace(CONTROLS, (one) => (one.charCodeAt(0) < FIRST_RARE ? "" : formatNumber(one)))
    .replace(DIRECTIONS, formatNumber);
}

const formatNumber = (one: string): string => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`;
