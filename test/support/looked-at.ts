/**
 * Counts the characters that a piece of work scans, instead of its time: each search for a pattern or text costs the
 * distance from its start to its end. Backtracking inside a pattern is not visible, so this also records the longest
 * input of each pattern.
 */

export interface LookedAt {
  searches: number;
  characters: number;
  /** Longest input of each pattern. */
  longest: ReadonlyMap<RegExp, number>;
}

type Search = (this: string, wanted: string, from?: number) => number;

/** Runs the work with the built-in searches wrapped, then restores them. */
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
