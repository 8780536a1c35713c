/** Lines as they are drawn: pieces of text, each with the name of a colour. */

/** The host's theme gives the colours. */
export type Colour = "text" | "muted" | "accent" | "good" | "warning" | "bad" | KindColour;
/** One for each kind of `KINDS`. */
export type KindColour = "kind1" | "kind2" | "kind3" | "kind4" | "kind5" | "kind6" | "kind7";

export interface Piece {
  text: string;
  colour: Colour;
  isBold?: true;
}

export type Line = readonly Piece[];

export const plain = (text: string, colour: Colour = "text"): Line => [{ text, colour }];
export const textOf = (line: Line): string => line.map(({ text }) => text).join("");
