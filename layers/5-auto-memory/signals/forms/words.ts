/** Patterns of whole words in scripts whose letters `\b` does not know. */

export const word = (source: string): RegExp => new RegExp(String.raw`(?<!\p{L})(?:${source})(?!\p{L})`, "u");

/** At the beginning of a sentence. */
export const start = (source: string): RegExp => new RegExp(String.raw`^(?:${source})(?!\p{L})`, "u");
