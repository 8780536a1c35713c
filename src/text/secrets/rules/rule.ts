/** What a rule says about the secrets that it finds. */
export interface SecretRule {
  /** What it is, in words; replaces the secret. */
  name: string;
  /** In lower case; a text with none of them is skipped. */
  hints: readonly string[];
  /** With the flags g and d; the group `secret`, or else the whole match, is the secret. */
  pattern: RegExp;
  /** How far behind its beginning a match may look, in characters, where that is farther than `USUAL_REACH`. */
  reach?: number;
  /** What the secret must look like; without it, anything but a placeholder. */
  look?: Look;
}

/**
 * What makes a text look like a secret. All exclude placeholders.
 * - `token`: issued by a machine, with a prefix or shape of its own: high entropy.
 * - `named`: a token that only a name before it tells: no run of the alphabet as in documents.
 * - `random`: a token whose prefix or place others share: digits among the letters, as in no name that people give.
 * - `password`: has what a word, a name in code or a path has not.
 * - `header`: a password of high entropy.
 * - `login`: a password with digits or signs among its letters, where nothing else says that it is one.
 * - `value`: plain words too, but no path, address, name in code or switch.
 */
export type Look = "token" | "named" | "random" | "password" | "header" | "login" | "value";

/** Far enough for what has a bound of 2,000 and something before and behind it. */
export const USUAL_REACH = 3_000;

/**
 * A kind of token that says by its beginning what it is: name, the beginnings (exact, separated by spaces), and what
 * follows them as the source of a pattern in short. The fourth is the look where it is not `token`.
 */
export type TokenRow = readonly [name: string, openings: string, rest: string, look?: Look];

const CLASSES: Readonly<Record<string, string>> = {
  a: "[A-Za-z0-9]",
  d: "\\d",
  h: "[a-f0-9]",
  l: "[a-z0-9]",
  u: "[A-Z0-9]",
  w: "[\\w-]",
};
const UUID = "[a-f0-9]{8}-(?:[a-f0-9]{4}-){3}[a-f0-9]{12}";

/** Writes a source out: `<h32>` stands for 32 hexadecimal digits, `<a20,40>` for 20 to 40 letters and digits. */
export const writeOut = (short: string): string =>
  short
    .replaceAll("<uuid>", UUID)
    .replace(/<([adhluw])([\d,]+)>/g, (_, kind: string, count: string) => `${CLASSES[kind]}{${count}}`);
