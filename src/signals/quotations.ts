/** Private use area: no text that people write has these. */
const FIRST = 0xe000;
const MOST = 6_000;
export const HIDDEN = /[\uE000-\uF8FF]/g;

/** Inline code, and what stands in quotation marks of any kind on one line. */
const QUOTATIONS =
  /`[^`\n]{1,300}`|"[^"\n]{1,400}"|“[^”\n]{1,400}”|„[^“”\n]{1,400}[“”]|«[^»\n]{1,400}»|「[^」\n]{1,400}」|『[^』\n]{1,400}』|‘[^’\n]{1,300}’(?!\w)|(?<=^|[\s(:])'[^'\n]{2,300}'(?=[\s.,;:!?)]|$)/gm;

export interface Hidden {
  /** The text with one character in the place of each quotation. */
  text: string;
  /** Puts the quotations back into a piece of it. */
  restore(piece: string): string;
}

/** Takes out what is quoted, so that no word in it counts, and a full stop in it ends no sentence. */
export function hideQuotations(text: string): Hidden {
  const quotations: string[] = [];
  const hidden = text.replace(HIDDEN, " ").replace(QUOTATIONS, (quotation) => {
    if (quotations.length === MOST) return quotation;
    quotations.push(quotation);
    return String.fromCharCode(FIRST + quotations.length - 1);
  });
  return {
    text: hidden,
    restore: (piece) =>
      piece.replace(HIDDEN, (character) => quotations[character.charCodeAt(0) - FIRST] ?? character),
  };
}
