import type { Sliced } from "../../../src/base/slices.js";

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

export interface Hiding {
  /** The line with one character in the place of each quotation. */
  hide(line: string): string;
  /** Puts the quotations back into a piece of what was hidden. */
  restore(piece: string): string;
}

/** Takes out what is quoted, so that no word in it counts, and a full stop in it ends no sentence. For one text. */
export function createHiding(): Hiding {
  const quotations = new Map<string, string>();
  const counts = { short: 0, long: 0 };
  return {
    hide: (line) =>
      line.replace(HIDDEN, " ").replace(QUOTATIONS, (quotation) => {
        const length = LONG_QUOTATION.test(quotation) ? "long" : "short";
        const { first, most } = length === "long" ? LONG : SHORT;
        // More than anybody writes: the last place stands for all others.
        const place = Math.min(counts[length]++, most - 1);
        const character = String.fromCharCode(first + place);
        quotations.set(character, quotation);
        return character;
      }),
    restore: (piece) => piece.replace(HIDDEN, (character) => quotations.get(character) ?? character),
  };
}

const OPENING = /<([a-z][\w-]{0,60})(?:\s[^<>]{0,300})?>/gi;
const CLOSING = /<\/([a-z][\w-]{0,60})>/gi;

/** The text without what stands between `<x>` and `</x>`: who writes that has put something in. */
export function* dropTagged(text: string): Sliced<string> {
  const closings = yield* findClosings(text);
  const kept: string[] = [];
  let at = 0;
  for (const match of text.matchAll(OPENING)) {
    yield;
    if (match.index < at) continue;
    const ends = closings.get((match[1] ?? "").toLowerCase()) ?? [];
    // Both go on through the text in step, so that no closing is looked at twice.
    while ((ends.at(-1)?.start ?? Number.POSITIVE_INFINITY) < match.index) ends.pop();
    const end = ends.pop();
    if (!end) continue;
    kept.push(text.slice(at, match.index), "\n\n");
    at = end.end;
  }
  return kept.join("") + text.slice(at);
}

/** By name where each closing stands, the first one last. */
function* findClosings(text: string): Sliced<Map<string, { start: number; end: number }[]>> {
  const found = new Map<string, { start: number; end: number }[]>();
  for (const { 0: whole, 1: name = "", index } of text.matchAll(CLOSING)) {
    yield;
    const place = { start: index, end: index + whole.length };
    const places = found.get(name.toLowerCase());
    if (places) places.push(place);
    else found.set(name.toLowerCase(), [place]);
  }
  for (const places of found.values()) places.reverse();
  return found;
}
