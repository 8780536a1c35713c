/** Private use area: no text that people write has these. Short quotations are names and terms; long ones are speech. */
const SHORT = { first: 0xe000, most: 0x1000 };
const LONG = { first: 0xf000, most: 0x800 };
const HIDDEN = /[\uE000-\uF7FF]/g;
/** Somebody else speaks in the sentence. */
export const SPEECH = /[\uF000-\uF7FF]/;

/** Inline code, and what stands in quotation marks of any kind on one line. */
const QUOTATIONS =
  /`[^`\n]{1,300}`|"[^"\n]{1,400}"|“[^”\n]{1,400}”|„[^“”\n]{1,400}[“”]|«[^»\n]{1,400}»|「[^」\n]{1,400}」|『[^』\n]{1,400}』|‘[^’\n]{1,300}’(?!\w)|(?<=^|[\s(:])'[^'\n]{2,300}'(?=[\s.,;:!?)]|$)/gm;
/** Five words, or eight characters of a script without spaces. */
const LONG_QUOTATION = /^[^`]\s*(\S+\s+){4,}\S|(?:\p{Script=Han}.*?){8}/u;

export interface Hidden {
  /** The text with one character in the place of each quotation. */
  text: string;
  /** Puts the quotations back into a piece of it. */
  restore(piece: string): string;
}

/** Takes out what is quoted, so that no word in it counts, and a full stop in it ends no sentence. */
export function hideQuotations(text: string): Hidden {
  const quotations = new Map<string, string>();
  const counts = { short: 0, long: 0 };
  const hidden = text.replace(HIDDEN, " ").replace(QUOTATIONS, (quotation) => {
    const length = LONG_QUOTATION.test(quotation) ? "long" : "short";
    const { first, most } = length === "long" ? LONG : SHORT;
    // More than anybody writes: the last place stands for all others.
    const place = Math.min(counts[length]++, most - 1);
    const character = String.fromCharCode(first + place);
    quotations.set(character, quotation);
    return character;
  });
  return {
    text: hidden,
    restore: (piece) => piece.replace(HIDDEN, (character) => quotations.get(character) ?? character),
  };
}

/** The text without what stands between `<x>` and `</x>`: who writes that has put something in. */
export function dropTagged(text: string): string {
  let kept = "";
  let at = 0;
  const lower = text.toLowerCase();
  const unclosed = new Set<string>();
  for (const match of text.matchAll(/<([a-z][\w-]{0,60})(?:\s[^<>]{0,300})?>/gi)) {
    const name = (match[1] ?? "").toLowerCase();
    if (match.index < at || unclosed.has(name)) continue;
    const close = `</${name}>`;
    const end = lower.indexOf(close, match.index);
    if (end === -1) unclosed.add(name);
    else {
      kept += `${text.slice(at, match.index)}\n\n`;
      at = end + close.length;
    }
  }
  return kept + text.slice(at);
}
