/**
 * Makes text safe for a terminal, since any file of the project may have put control sequences into it. Terminal
 * sequences are removed. Invisible characters, which reverse the writing direction or hide words that a model reads, and
 * rarer control characters are escaped as in JSON (`\u202e`), so that JSON stays valid.
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
/** Except what many scripts and emoji need: joiners, and whether a sign is text or a picture. */
const INVISIBLE = /(?!\u200c|\u200d|[\ufe0e\ufe0f])\p{Default_Ignorable_Code_Point}/gu;
const FIRST_RARE = 0x7f;

export function toPrintable(text: string, { withStyles = false } = {}): string {
  if (!withStyles) return clean(text);
  // Splitting by a group puts the styles at odd indices.
  return text
    .split(STYLES)
    .map((piece, index) => (index % 2 === 1 ? piece : clean(piece)))
    .join("");
}

/** Our own signs where a terminal has no others than ASCII's; what people wrote stays. */
const SIGNS: Readonly<Record<string, string>> = {
  ...{ "█": "#", "░": ".", "→": "->", "…": "...", "·": "-", "–": "-", "—": "-", "−": "-", "×": "x" },
};
export const toASCIISigns = (text: string): string =>
  text.replace(/[█░→…·–—−×]/g, (sign) => SIGNS[sign] ?? sign);

/** Does the terminal show Unicode? Without a word of the system it does, as on Windows. */
export function hasUnicode({ LANG, LC_ALL, LC_CTYPE, TERM }: Readonly<Record<string, string | undefined>>) {
  const locale = LC_ALL || LC_CTYPE || LANG;
  return TERM !== "linux" && (!locale || /utf-?8/i.test(locale));
}

function clean(text: string): string {
  return text
    .replace(SEQUENCES, "")
    .replace(CONTROLS, (one) => (one.charCodeAt(0) < FIRST_RARE ? "" : formatNumber(one)))
    .replace(INVISIBLE, formatNumber);
}

/** A character beyond the first 65,536 has two of them. */
const formatNumber = (one: string): string =>
  one.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
