/**
 * Finds the secrets that begin with a text of their own: tokens with a prefix, and keys behind their provider's name.
 * Goes through the text once and asks at the beginning of each word what may begin with its first three characters,
 * so that the cost does not grow with the number of rules. Pure, and sliced.
 */
import type { Sliced } from "../../base/slices.js";
import { isNoun, listNamedKeys } from "./rules/named-keys.js";
import { type Look, type TokenRow, USUAL_REACH, writeOut } from "./rules/rule.js";

interface Opening {
  name: string;
  /** What it begins with; in lower case if letters may be of either case. */
  text: string;
  /** Sticky; what follows the beginning. Compiled when it is first asked for: most never are. */
  rest: () => RegExp;
  look: Look;
  /** A key behind a name: it may begin within a variable's name, in letters of either case. */
  isNamed: boolean;
}

/** By a hash of the first three characters: where they stand in `lists`, and 0 if nothing begins so. */
export interface Openings {
  places: Uint16Array;
  lists: readonly (readonly Opening[])[];
}

export interface Opened {
  name: string;
  look: Look;
  start: number;
  end: number;
  secret: string;
}

/** Characters between two pauses. */
const PIECE = 16_000;
/** Characters needed before a word: `\n` as JSON writes it ends one. */
const BEFORE = 2;

export function createOpenings(rows: readonly TokenRow[]): Openings {
  const places = new Uint16Array(PLACES);
  const lists: Opening[][] = [[]];
  const add = (opening: Opening): void => {
    const { text } = opening;
    const starts =
      text.length > 2 ? [text] : Array.from({ length: ASCII }, (_, code) => text + String.fromCharCode(code));
    for (const key of new Set(starts.map((start) => keyAt(start, 0)))) {
      places[key] ||= lists.push([]) - 1;
      lists[places[key] ?? 0]?.push(opening);
    }
  };
  for (const [name, texts, rest, look = "token"] of rows) {
    const pattern = compileOnce(`${rest}(?!\\w)`, "y");
    for (const text of texts.split(" ")) add({ name, text, rest: pattern, look, isNamed: false });
  }
  for (const { look, name, names, rest } of listNamedKeys()) {
    const pattern = compileOnce(rest, "yi");
    for (const text of names.split(" ")) add({ name, text, rest: pattern, look, isNamed: true });
  }
  return { places, lists };
}

function compileOnce(source: string, flags: string): () => RegExp {
  let pattern: RegExp | undefined;
  return () => {
    pattern ??= new RegExp(writeOut(source), flags);
    return pattern;
  };
}

/** Passes each find to `take`, in order. If `take` refuses one, the search continues right behind its first character. */
export function* findByOpening(
  text: string,
  { lists, places }: Openings,
  take: (opened: Opened) => boolean,
  piece = PIECE,
): Sliced<void> {
  for (let from = 0; from < text.length; ) {
    yield;
    const begin = Math.max(0, from - BEFORE);
    const window = text.slice(begin, from + piece + USUAL_REACH);
    const end = Math.min(window.length, from + piece - begin);
    let at = from - begin;
    while (at < end) {
      at = findWordStart(window, at, end);
      const place = places[keyAt(window, at)] ?? 0;
      at = place === 0 ? at + 1 : openAt(window, at, lists[place] ?? []);
    }
    from = begin + at;

    /** Tries each opening; returns the end of the longest secret that begins here. */
    function openAt(text: string, at: number, openings: readonly Opening[]): number {
      let next = at + 1;
      for (const opening of openings) {
        const found = open(text, at, opening);
        if (found && take({ ...found, start: found.start + begin, end: found.end + begin }))
          next = Math.max(next, found.end);
      }
      return next;
    }
  }
}

function open(
  text: string,
  at: number,
  { isNamed, look, name, rest, text: start }: Opening,
): Opened | undefined {
  if (isNamed ? !beginsWith(text, at, start) : !text.startsWith(start, at) || isInside(text, at))
    return undefined;
  const pattern = rest();
  pattern.lastIndex = at + start.length;
  const match = pattern.exec(text);
  if (!match) return undefined;
  const { noun = "", secret } = match.groups ?? {};
  const end = pattern.lastIndex;
  if (secret === undefined) return { name, look, start: at, end, secret: text.slice(at, end) };
  if (!isNoun(start + noun)) return undefined;
  return { name, look, start: end - secret.length, end, secret };
}

const ASCII = 128;
const OTHER = 0;
const LOWER = 1;
const UPPER = 2;
const DIGIT = 3;
const UNDERSCORE = 4;
const HYPHEN = 5;

const classes = Uint8Array.from({ length: ASCII }, (_, code) => classify(String.fromCharCode(code)));

function classify(character: string): number {
  if (/[a-z]/.test(character)) return LOWER;
  if (/[A-Z]/.test(character)) return UPPER;
  if (/\d/.test(character)) return DIGIT;
  return character === "_" ? UNDERSCORE : character === "-" ? HYPHEN : OTHER;
}

const classAt = (text: string, at: number): number => classes[text.charCodeAt(at)] ?? OTHER;

/**
 * The next letter, digit or underscore from `at` on with no letter or digit before it, the capital of `myAlgoliaKey`,
 * or what stands behind the `\n` of a string; `end` if there is none before.
 */
function findWordStart(text: string, at: number, end: number): number {
  let before = at === 0 ? OTHER : classAt(text, at - 1);
  for (let here = at; here < end; here++) {
    const is = classAt(text, here);
    const isInWord = is >= LOWER && is <= UNDERSCORE;
    const isAfterWord = before >= LOWER && before <= DIGIT;
    if (isInWord && (!isAfterWord || (is === UPPER && before === LOWER) || isEscape(text, here))) return here;
    before = is;
  }
  return end;
}

/** Whether the position is inside a word: tokens start only at its beginning. */
const isInside = (text: string, at: number): boolean =>
  at > 0 && classAt(text, at - 1) !== OTHER && !isEscape(text, at);

/** `\n`, `\r` or `\t` as JSON writes them stands before it. */
function isEscape(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  return (before === 110 || before === 114 || before === 116) && at > 1 && text.charCodeAt(at - 2) === 92;
}

const lower = (code: number): number => (code >= 65 && code <= 90 ? code + 32 : code);

/** A power of two. */
const PLACES = 16_384;

/** Of the three characters from `at` on, letters in lower case. A hash: `open` compares the whole opening. */
const keyAt = (text: string, at: number): number =>
  (lower(text.charCodeAt(at)) * 961 + lower(text.charCodeAt(at + 1)) * 31 + lower(text.charCodeAt(at + 2))) &
  (PLACES - 1);

function beginsWith(text: string, at: number, start: string): boolean {
  for (let n = 0; n < start.length; n++)
    if (lower(text.charCodeAt(at + n)) !== start.charCodeAt(n)) return false;
  return true;
}
