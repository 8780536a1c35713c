/**
 * Searches a long text for a pattern piece by piece, so that one search takes little time, and finds what one search
 * through all of it would. It may be left between the pieces. Pure.
 */
import type { Sliced } from "../../base/slices.js";

/** As much is looked through in one go: some milliseconds under the host's engine for the slowest pattern. */
const PIECE = 16_000;
/** What a pattern asks for right before a match. */
const BEFORE = 1;

export interface WindowedPattern {
  /** Global, without `m` and `y`, looking back one character at most. */
  pattern: RegExp;
  /** How many characters behind the beginning of a match it looks at, at most. */
  reach: number;
}

/** Gives each match to `take`, in order, with where in the text the string that was searched begins. */
export function* searchInWindows(
  text: string,
  { pattern, reach }: WindowedPattern,
  take: (match: RegExpExecArray, offset: number) => void,
  piece = PIECE,
): Sliced<void> {
  const search = new RegExp(pattern);
  for (let from = 0; from < text.length; ) {
    yield;
    const begin = Math.max(0, from - BEFORE);
    const end = from + piece;
    const window = text.slice(begin, end + reach);
    search.lastIndex = from - begin;
    let match = search.exec(window);
    // A match that begins behind the piece is found again by the next one, which sees all of it.
    while (match && begin + match.index < end) {
      take(match, begin);
      from = begin + match.index + match[0].length;
      yield;
      match = search.exec(window);
    }
    from = Math.max(from, end);
  }
}
