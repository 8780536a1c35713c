/** Patterns for whole words in scripts that `\b` does not cover. */

export const word = (source: string): RegExp => new RegExp(String.raw`(?<!\p{L})(?:${source})(?!\p{L})`, "u");

/** The same at the beginning of a sentence. */
export const start = (source: string): RegExp => new RegExp(String.raw`^(?:${source})(?!\p{L})`, "u");
