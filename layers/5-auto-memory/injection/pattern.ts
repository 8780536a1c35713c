/**
 * The words and globs that a rule waits for. Every match takes at most the product of the two lengths: patterns come
 * from files that anybody may have written, and a regular expression made of many stars can take for ever.
 */

/** What a call was about. */
export interface CallSubject {
  command?: string;
  /** As seen from the project, with `/`. */
  path?: string;
}

/** The same, taken apart once for all patterns. */
export interface Subject {
  /** Of a command. */
  words: readonly string[];
  /** What may be a path, by its segments. */
  paths: readonly (readonly string[])[];
  /** Every segment, with and without its ending, and what stands between its colons: `test:unit`. */
  names: ReadonlySet<string>;
}

export type Fits = (subject: Subject) => boolean;

const LONGEST_PATTERN = 200;
/** What stands behind is seldom what a command is about. */
const LONGEST_COMMAND = 2_000;
/** No system opens a longer one. */
const LONGEST_PATH = 4_096;
const BETWEEN_WORDS = /[\s;|&()'"`<>=]+/;

export function takeApart({ command = "", path }: CallSubject): Subject {
  const words = command.slice(0, LONGEST_COMMAND).toLowerCase().split(BETWEEN_WORDS);
  const paths = (path === undefined ? words : [path.slice(0, LONGEST_PATH).toLowerCase()]).map(splitPath);
  const names = paths.flat().flatMap((name) => [name, withoutEnding(name), ...name.split(":")]);
  return { words, paths, names: new Set(names) };
}

/** `parser.test.ts` is `parser`, and `.env` is `.env`. */
function withoutEnding(name: string): string {
  const dot = name.indexOf(".", 1);
  return dot === -1 ? name : name.slice(0, dot);
}

/**
 * Of a command the pattern fits words in a row (`git push`, `npm`, `--force*`), and files that are named in it. Of a
 * path it fits as a glob where it has `/` (a folder stands for what is in it), else as the name of a file or folder,
 * with or without its ending. `undefined` for a pattern that would fit anything, or is none.
 */
export function compilePattern(pattern: string): Fits | undefined {
  const wanted = pattern.trim().toLowerCase();
  if (wanted.length > LONGEST_PATTERN || !/[\p{L}\p{N}]/u.test(wanted)) return undefined;
  const words = wanted.split(/\s+/).map(compileName);
  if (words.length > 1)
    return ({ words: given }) => given.some((_, at) => words.every((fits, n) => fits(given[at + n] ?? "")));
  const segments = splitPath(wanted.replace(/\/+$/, ""));
  if (segments.length > 1) {
    const path: readonly (FitsName | typeof ANY)[] = [
      ...segments.map((segment) => (segment === "**" ? ANY : compileName(segment))),
      ANY,
    ];
    return ({ paths }) => paths.some((given) => fitsInOrder(path, given));
  }
  const [name = wanted] = segments;
  if (!hasWildcard(name)) return ({ names }) => names.has(name);
  const fits = compileName(name);
  return ({ names }) => [...names].some(fits);
}

type FitsName = (name: string) => boolean;

/** Stands for any number of items. */
const ANY = "any";

const splitPath = (path: string): string[] => path.replace(/^\.?\//, "").split("/");

const hasWildcard = (pattern: string): boolean => /[*?]/.test(pattern);

/** `*` stands for any characters, `?` for one. */
function compileName(pattern: string): FitsName {
  if (!hasWildcard(pattern)) return (name) => name === pattern;
  const wanted = [...pattern].map((one) => {
    if (one === "*") return ANY;
    return one === "?" ? () => true : (other: string) => other === one;
  });
  return (name) => name !== "" && fitsInOrder(wanted, [...name]);
}

/** Do the items follow the pattern to the end? Where they part it goes back to the last `ANY` only. */
function fitsInOrder(pattern: readonly (FitsName | typeof ANY)[], items: readonly string[]): boolean {
  let at = 0;
  let lastAny = -1;
  let resume = 0;
  for (let index = 0; index < items.length; ) {
    const wanted = pattern[at];
    if (wanted === ANY) {
      lastAny = at++;
      resume = index;
    } else if (wanted?.(items[index] ?? "")) {
      at++;
      index++;
    } else {
      if (lastAny === -1) return false;
      at = lastAny + 1;
      index = ++resume;
    }
  }
  return pattern.slice(at).every((left) => left === ANY);
}
