/** Names of a project in a text, told from words by their form: identifiers of several words, and paths. Pure. */

const NAME = /[A-Za-z_$][\w$]*(?:[a-z\d][A-Z]|_[A-Za-z\d])[\w$]*/g;
const NAME_OR_PATH =
  /(?:[\w@.~-]+\/)+[\w@.-]*\w\.[A-Za-z]\w{0,5}\b|[A-Za-z_$][\w$]*(?:[a-z\d][A-Z]|_[A-Za-z\d])[\w$]*/g;
const SUBJECT =
  /[A-Za-z_$][\w$]*(?:[a-z\d][A-Z]|_[A-Za-z\d])[\w$]*|\b[a-z][a-z\d]*(?:[-.][a-z\d]+){2,}\b|(?<![\w.,-])(?:#?\d{3,}|\d+\.\d+\.\d+|(?=[\da-f]*\d)[\da-f]{7,40})(?![\w.,-]*\w)/g;
const MOST_OF_A_CALL = 1_000;
const LONGEST_NAME = 60;
const LONGEST_PATH = 120;
const LOOKED_AT = 20_000;
/** Encoded data: longer than any path, and on it the patterns would take time by the square of its length. */
const ENDLESS = /[\w@.~$/-]{300,}/g;

/** Identifiers, each once, the most frequent first. */
export function findNames(text: string, limit: number): string[] {
  return count(text, NAME, LONGEST_NAME).slice(0, limit);
}

/** Identifiers and paths, each once, the most frequent first. */
export function findNamesAndPaths(text: string): string[] {
  return count(text, NAME_OR_PATH, LONGEST_PATH);
}

/** Names, and numbers by which something is found again: hashes, versions, issues; in order, each once. */
export function findSubjects(text: string): string[] {
  const found = text.slice(0, MOST_OF_A_CALL).match(SUBJECT) ?? [];
  return [...new Set(found)].filter((one) => one.length <= LONGEST_NAME);
}

function count(text: string, pattern: RegExp, longest: number): string[] {
  const counts = new Map<string, number>();
  for (const [name] of text.slice(0, LOOKED_AT).replace(ENDLESS, " ").matchAll(pattern))
    if (name.length <= longest) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]).map(([name]) => name);
}
