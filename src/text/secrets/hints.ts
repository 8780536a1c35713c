/**
 * Tells which of many short texts a long one contains. One pass marks every three consecutive characters, so that most of
 * the short texts need no search of their own.
 */
import type { Sliced } from "../../base/slices.js";

/** Characters between two pauses. */
const PIECE = 64_000;
/** Below this length, searching costs less than the marks. */
const SHORT = 1_000;
/** A power of two. */
const PLACES = 16_384;

/** Whether the text contains a hint, which is in lower case, in letters of either case. */
export type HasHint = (hint: string) => boolean;

export function* readHints(text: string): Sliced<HasHint> {
  const lower = text.toLowerCase();
  if (lower.length < SHORT) return (hint) => lower.includes(hint);
  const marks = new Uint8Array(PLACES);
  for (let from = 0; from < lower.length; from += PIECE) {
    yield;
    mark(lower.slice(from, from + PIECE + 2), marks);
  }
  const known = new Map<string, boolean>();
  return (hint) => {
    const before = known.get(hint);
    if (before !== undefined) return before;
    const has = isMarked(hint, marks) && lower.includes(hint);
    known.set(hint, has);
    return has;
  };
}

function mark(text: string, marks: Uint8Array): void {
  let one = text.charCodeAt(0);
  let two = text.charCodeAt(1);
  for (let at = 2; at < text.length; at++) {
    const three = text.charCodeAt(at);
    marks[placeOf(one, two, three)] = 1;
    one = two;
    two = three;
  }
}

function isMarked(hint: string, marks: Uint8Array): boolean {
  for (let at = 0; at + 2 < hint.length; at++)
    if (marks[placeOf(hint.charCodeAt(at), hint.charCodeAt(at + 1), hint.charCodeAt(at + 2))] === 0)
      return false;
  return true;
}

/** Of three characters; different ones may share a place. */
const placeOf = (one: number, two: number, three: number): number =>
  (one * 961 + two * 31 + three) & (PLACES - 1);
