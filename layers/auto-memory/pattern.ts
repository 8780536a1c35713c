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

export type Fits = (subject: CallSubject) => boolean;

const LONGEST_PATTERN = 200;
/** What stands behind is seldom what a command is about. */
const LONGEST_COMMAND = 2_000;
const BETWEEN_WORDS = /[\s;|&()'"`<>=]+/;

/**
 * Of a command the pattern fits words in a row (`git push`, `npm`, `--force*`), and files that are named in it. Of a
 * path it fits as a glob where it has `/` (a folder stands for what is in it), else as the name of a file or folder,
 * with or without its ending. `undefined` for a pattern that would fit anything, or is none.
 */
export function compilePattern(pattern: string): Fits | undefined {
  const wanted = pattern.trim().toLowerCase();
  if (wanted.length > LONGEST_PATTERN || !/[\p{L}\p{N}]/u.test(wanted)) return undefined;
  const words = wanted.split(/\s+/).map(compileName);
  const fitsPath = words.length === 1 ? compilePath(wanted) : () => false;
  return ({ command, path }) => {
    if (path !== undefined && fitsPath(path.toLowerCase())) return true;
    if (command === undefined) return false;
    const given = command.slice(0, LONGEST_COMMAND).toLowerCase().split(BETWEEN_WORDS);
    return given.some((word, at) => fitsPath(word) || words.every((fits, n) => fits(given[at + n] ?? "")));
  };
}

type FitsName = (name: string) => boolean;

/** Stands for any number of items. */
const ANY = "any";

function compilePath(pattern: string): FitsName {
  const segments = splitPath(pattern.replace(/\/+$/, ""));
  const [only] = segments;
  if (segments.length === 1 && only !== undefined) {
    const fits = compileName(only);
    return (path) => splitPath(path).some((name) => fits(name) || fits(name.replace(/(?<=.)\..*$/, "")));
  }
  const wanted = segments.map((segment) => (segment === "**" ? ANY : compileName(segment)));
  return (path) => fitsInOrder([...wanted, ANY], splitPath(path));
}

const splitPath = (path: string): string[] => path.replace(/^\.?\//, "").split("/");

/** `*` stands for any characters, `?` for one. */
function compileName(pattern: string): FitsName {
  if (!/[*?]/.test(pattern)) return (name) => name === pattern;
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
