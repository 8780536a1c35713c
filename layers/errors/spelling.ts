/** Tells whether one spelling may be a correction of the other: words, paths and addresses. Pure. */

/** Are all words of the one kept in the other, or replaced by similarly spelled ones? */
export function isReworded(failed: readonly string[], worked: readonly string[]): boolean {
  const lost = subtract(failed, worked);
  const gained = subtract(worked, failed);
  if (failed.length === 0 || (lost.length === 0 && gained.length === 0)) return false;
  // A command that became part of a longer one is a different command.
  if (gained.length > failed.length + MOST_ADDED || lost.length > MOST_LOST) return false;
  const pieces = new Set(gained.flatMap(splitWord));
  const isExcused = (word: string): boolean =>
    isOption(word) ||
    (splitWord(word).length > 0 && splitWord(word).every((piece) => pieces.has(piece))) ||
    gained.some((other) => isSpelledAlike(word, other));
  const kept = failed.some((word) => !isOption(word) && !lost.includes(word));
  return (kept || failed.length === 1) && lost.every(isExcused);
}

const MOST_ADDED = 5;
/** Bounds the comparison of lost with gained words; with more changes it is another command. */
const MOST_LOST = 50;

const isOption = (word: string): boolean => word.startsWith("-");

/** Multiset difference: the words of the first list without those of the second. */
function subtract(words: readonly string[], from: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const word of from) left.set(word, (left.get(word) ?? 0) + 1);
  return words.filter((word) => {
    const count = left.get(word) ?? 0;
    if (count > 0) left.set(word, count - 1);
    return count === 0;
  });
}

/** Words as a shell splits them, without quotes; a quoted text stays one word. */
export function splitShellWords(text: string): string[] {
  const found = text.match(/(?:[^\s"']|"(?:\\.|[^"\\])*"|'[^']*')+|["']/g) ?? [];
  return found.map((word) => word.replace(/["']/g, "")).filter((word) => word !== "");
}

const splitWord = (word: string): string[] => word.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** File names that occur in every folder; only the folder tells them apart. */
const EVERYWHERE =
  /^(index|main|mod|lib|app|init|__init__|readme|package|makefile|dockerfile|config|tsconfig|setup)\b/i;

/** Is it the same file elsewhere, the same host with another port, or a typo? */
export function isSpelledAlike(one: string, other: string): boolean {
  if (one === other) return true;
  if (one.includes("/") || other.includes("/")) return isSameFile(one, other);
  const [host, otherHost] = [one, other].map((text) => text.replace(/:\d+$/, ""));
  if (host === otherHost) return true;
  const [stem = one, otherStem = other] = [one, other].map((text) => text.replace(/\.\w+$/, ""));
  return isSlip(stem, otherStem);
}

function isSameFile(one: string, other: string): boolean {
  const [steps, otherSteps] = [one, other].map((path) => path.split("/").filter((step) => step !== ""));
  const [name = "", otherName = ""] = [steps?.at(-1), otherSteps?.at(-1)];
  if (!isSlip(name.replace(/:\d+$/, ""), otherName.replace(/:\d+$/, ""))) return false;
  return !EVERYWHERE.test(name) || steps?.at(-2) === otherSteps?.at(-2);
}

/** Number of typos allowed, by the length of the shorter word: in a short word one letter makes another word. */
const mostWrong = (length: number): number => (length < 4 ? 0 : length < 8 ? 1 : 2);
const LONGEST_COMPARED = 80;

/** Do the words differ by a typo or two? `step1` and `step2` are different things. */
function isSlip(one: string, other: string): boolean {
  if (one === other) return true;
  if (one === "" || other === "" || Math.max(one.length, other.length) > LONGEST_COMPARED) return false;
  const [letters, otherLetters] = [one, other].map((text) => text.replace(/\d+/g, "#"));
  if (letters === otherLetters) return false;
  const shorter = Math.min(one.length, other.length);
  return countEdits(one.toLowerCase(), other.toLowerCase()) <= mostWrong(shorter);
}

/** Optimal string alignment distance (Damerau and Levenshtein): letters added, removed, changed, or two swapped. */
function countEdits(one: string, other: string): number {
  let earlier: number[] = [];
  let previous = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i++) {
    const row = [i];
    for (let j = 1; j <= other.length; j++) {
      const isEqual = one[i - 1] === other[j - 1];
      const isSwapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      const changed = (previous[j - 1] ?? 0) + (isEqual ? 0 : 1);
      const swapped = isSwapped ? (earlier[j - 2] ?? 0) + 1 : changed;
      row.push(Math.min(changed, swapped, (previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    earlier = previous;
    previous = row;
  }
  return previous[other.length] ?? 0;
}
