/** The words of an answer that only this session can have taught: identifiers, paths and numbers. */

export const KINDS = ["identifier", "path", "number"] as const;
export type Kind = (typeof KINDS)[number];

export interface Token {
  kind: Kind;
  text: string;
}

/** `camelCase`, `PascalCase`, `snake_case` and `kebab-case-names` of three words; five characters or more. */
const IDENTIFIER = /[A-Za-z_$][\w$]*(?:[a-z\d][A-Z]|_[A-Za-z\d])[\w$]*|\b[a-z][a-z\d]*(?:-[a-z\d]+){2,}\b/g;
const PATH = /(?:[\w@.~-]+\/)+[\w@.-]*\w\.[A-Za-z]\w{0,5}\b/g;
/** Three digits or more, versions, and hashes of commits. */
const NUMBER =
  /(?<![\w.])(?:\d+\.\d+(?:\.\d+)*|\d{3,}|(?=[\da-f]*\d)(?=[\da-f]*[a-f])[\da-f]{7,40})(?![\w.]\w)/g;
const SHORTEST = 5;
/** Lines to be shown, and characters of a pattern, are no knowledge. */
const POSITION = /\bsed -n\s+['"]?[\d,$p;]+['"]?|\b(?:head|tail)\s+(?:-n\s*|-)?\d+|\bnl -ba\b/g;
const ESCAPED = /\\[bBdDnrsStwW]/g;

export function findTokens(given: string): Token[] {
  const found = new Map<string, Token>();
  const text = given.replace(POSITION, " ").replace(ESCAPED, " ");
  const take = (kind: Kind, pattern: RegExp, given: string): void => {
    for (const [token] of given.matchAll(pattern)) found.set(token, { kind, text: token });
  };
  for (const [path] of text.matchAll(PATH)) {
    const clean = path.replace(/^(?:\.\/)+/, "");
    found.set(clean, { kind: "path", text: clean });
  }
  // The names in a path are not needed a second time.
  const rest = text.replace(PATH, " ");
  take("number", NUMBER, rest);
  for (const [token] of rest.matchAll(IDENTIFIER))
    if (token.length >= SHORTEST) found.set(token, { kind: "identifier", text: token });
  return [...found.values()];
}
