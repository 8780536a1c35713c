/**
 * Finds the secrets that begin with a text of their own: tokens with a prefix, and keys behind their provider's name.
 * Goes through the text once and asks at the beginning of each word what may begin with its first two characters, so
 * that the cost does not grow with the number of rules. Pure; may be left between the pieces.
 */
import type { Sliced } from "../slices.js";
import { isNoun, listNamedKeys } from "./rules/named-keys.js";
import { type Look, type TokenRow, USUAL_REACH } from "./rules/rule.js";

interface Opening {
  name: string;
  /** What it begins with; in lower case if letters may be of either case. */
  text: string;
  /** Sticky; what follows the beginning. */
  rest: RegExp;
  look: Look;
  /** A key behind a name: it may begin within a variable's name, in letters of either case. */
  isNamed: boolean;
}

/** By the first two characters, letters in lower case: where they stand in `lists`, and 0 if nothing begins so. */
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

/** As much is looked through between two pauses. */
const PIECE = 16_000;
/** What is looked at before a beginning: the `\n` of JSON ends a word. */
const BEFORE = 2;

export function createOpenings(rows: readonly TokenRow[]): Openings {
  const places = new Uint16Array(ASCII * ASCII);
  const lists: Opening[][] = [[]];
  const add = (opening: Opening): void => {
    const key = keyAt(opening.text, 0);
    places[key] ||= lists.push([]) - 1;
    lists[places[key] ?? 0]?.push(opening);
  };
  for (const [name, texts, rest, look = "token"] of rows) {
    const pattern = new RegExp(`${rest}(?!\\w)`, "y");
    for (const text of texts.split(" ")) add({ name, text, rest: pattern, look, isNamed: false });
  }
  for (const { name, names, pattern } of listNamedKeys())
    for (const text of names) add({ name, text, rest: pattern, look: "token", isNamed: true });
  return { places, lists };
}

/** Gives what is found to `take`, in order; what it refuses is no secret, and the search goes on within it. */
export function* findByOpening(
  text: string,
  { lists, places }: Openings,
  take: (opened: Opened) => boolean,
): Sliced<void> {
  for (let from = 0; from < text.length; ) {
    yield;
    const begin = Math.max(0, from - BEFORE);
    const window = text.slice(begin, from + PIECE + USUAL_REACH);
    const end = Math.min(window.length, from + PIECE - begin);
    let at = from - begin;
    while (at < end) {
      const place = places[keyAt(window, at)] ?? 0;
      at = place !== 0 && isWordStart(window, at) ? openAt(window, at, lists[place] ?? []) : at + 1;
    }
    from = begin + at;

    /** Where to go on: behind the longest secret that begins here. */
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
  rest.lastIndex = at + start.length;
  const match = rest.exec(text);
  if (!match) return undefined;
  const { noun = "", secret } = match.groups ?? {};
  const end = rest.lastIndex;
  if (secret === undefined) return { name, look, start: at, end, secret: text.slice(at, end) };
  if (!isNoun(start + noun)) return undefined;
  return { name, look, start: end - secret.length, end, secret };
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57;
const isLower = (code: number): boolean => code >= 97 && code <= 122;
const isUpper = (code: number): boolean => code >= 65 && code <= 90;
const isAlphanumeric = (code: number): boolean => isLower(code) || isUpper(code) || isDigit(code);
const UNDERSCORE = 95;
const HYPHEN = 45;
const BACKSLASH = 92;

const lower = (code: number): number => (isUpper(code) ? code + 32 : code);
const ASCII = 128;
/** Of the two characters from `at` on; beyond all places if one is no ASCII or missing. */
function keyAt(text: string, at: number): number {
  const one = text.charCodeAt(at);
  const other = text.charCodeAt(at + 1);
  return one < ASCII && other < ASCII ? lower(one) * ASCII + lower(other) : ASCII * ASCII;
}

/** A letter or digit behind none, the capital of `myAlgoliaKey`, and what stands behind the `\n` of a string. */
function isWordStart(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (!isAlphanumeric(code) && code !== UNDERSCORE) return false;
  if (at === 0) return true;
  const before = text.charCodeAt(at - 1);
  return !isAlphanumeric(before) || (isUpper(code) && isLower(before)) || isEscape(text, at);
}

/** Within a word, of which a token is no part. */
function isInside(text: string, at: number): boolean {
  if (at === 0) return false;
  const before = text.charCodeAt(at - 1);
  return (isAlphanumeric(before) || before === UNDERSCORE || before === HYPHEN) && !isEscape(text, at);
}

/** `\n`, `\r` or `\t` as JSON writes them stands before it. */
function isEscape(text: string, at: number): boolean {
  if (at < 2 || text.charCodeAt(at - 2) !== BACKSLASH) return false;
  const before = text[at - 1];
  return before === "n" || before === "r" || before === "t";
}

function beginsWith(text: string, at: number, start: string): boolean {
  for (let n = 0; n < start.length; n++)
    if (lower(text.charCodeAt(at + n)) !== start.charCodeAt(n)) return false;
  return true;
}
