/**
 * Counts what a piece of work looks at, in characters rather than in time: each search for a pattern or a text costs the
 * way from where it begins to where it ends. What a pattern does within itself is not seen; for that it is told how long
 * a text each pattern was given.
 */

export interface LookedAt {
  searches: number;
  characters: number;
  /** By pattern, the longest text that it was tried on. */
  longest: ReadonlyMap<RegExp, number>;
}

type Search = (this: string, wanted: string, from?: number) => number;

/** Runs the work with the built-in searches wrapped, and puts them back. */
export function countLookedAt(work: () => void): LookedAt {
  const { exec } = RegExp.prototype;
  const { includes, indexOf } = String.prototype;
  const counted = { searches: 0, characters: 0, longest: new Map<RegExp, number>() };
  const count = (characters: number): void => {
    counted.searches++;
    counted.characters += characters;
  };
  RegExp.prototype.exec = function (text) {
    const given = String(text);
    const from = this.global || this.sticky ? this.lastIndex : 0;
    const found = exec.call(this, given);
    const isHere = this.sticky && !found;
    const end = found ? found.index + found[0].length : isHere ? from + 1 : given.length;
    count(Math.max(0, end - from));
    counted.longest.set(this, Math.max(counted.longest.get(this) ?? 0, given.length));
    return found;
  };
  const search: Search = function (wanted, from = 0) {
    const at = indexOf.call(this, wanted, from);
    count(at === -1 ? this.length - from : at + wanted.length - from);
    return at;
  };
  String.prototype.indexOf = search;
  String.prototype.includes = function (wanted, from) {
    return search.call(String(this), String(wanted), from) !== -1;
  };
  try {
    work();
  } finally {
    RegExp.prototype.exec = exec;
    Object.assign(String.prototype, { includes, indexOf });
  }
  return counted;
}
