/**
 * Finds keys, tokens, passwords, private keys and connection strings in a text, so that none of them is written to
 * memory. What only looks like one (a commit's hash, a UUID, a digest, base64 in code, the word "password", a
 * placeholder) is left alone. Pure, and linear in the length of the text except for bounded lookaheads.
 */
import { atOnce, type Sliced } from "../../base/slices.js";
import { readHints } from "./hints.js";
import { hasLook } from "./looks.js";
import { createOpenings, findByOpening } from "./openings.js";
import { type SecretRule, type TokenRow, USUAL_REACH } from "./rules/rule.js";
import { sentenceRules } from "./rules/sentences.js";
import { settingRules } from "./rules/settings.js";
import { shapeRules } from "./rules/shapes.js";
import { cloudTokens, codeTokens, commerceTokens, messageTokens, modelTokens } from "./rules/tokens/cloud.js";
/*
 * How secrets look, as data. The forms of the tokens are facts that their issuers publish, most of them collected in the
 * rules of gitleaks (github.com/gitleaks/gitleaks, config/gitleaks.toml, MIT); the patterns are our own, for text by
 * people and agents, and bounded, so that none backtracks for long.
 *
 * A library was measured: of generated keys of 284 formats in their usual surroundings, secretlint 13 with its recommended
 * preset (MIT, 220 KB, 24 providers, no native parts) finds 12 % at 0.4 ms each, and no password in a sentence.
 */

/** Searched for wherever they stand. */
export const secretRules: readonly SecretRule[] = [...shapeRules, ...settingRules, ...sentenceRules];

/** Searched for where a word begins. */
export const tokenRows: readonly TokenRow[] = [
  ...cloudTokens,
  ...codeTokens,
  ...modelTokens,
  ...messageTokens,
  ...commerceTokens,
];

export interface FoundSecret {
  /** What it is, in words: "GitHub token". */
  name: string;
  /** Its position in UTF-16 units; the end is exclusive. */
  start: number;
  end: number;
}

export interface Redacted {
  text: string;
  found: FoundSecret[];
}

/** The secrets in a text, in its order, none within another. */
export function findSecrets(text: string): FoundSecret[] {
  return atOnce(lookForSecrets(text));
}

const openings = createOpenings(tokenRows);

/** The same in slices. */
export function* lookForSecrets(text: string): Sliced<FoundSecret[]> {
  const found: FoundSecret[] = [];
  yield* findByOpening(text, openings, ({ end, look, name, secret, start }) => {
    const isSecret = hasLook(secret, look);
    if (isSecret) found.push({ name, start, end });
    return isSecret;
  });
  const hasHint = yield* readHints(text);
  for (const rule of secretRules) {
    yield;
    if (rule.hints.some(hasHint)) yield* findByRule(text, rule, found);
  }
  return joinOverlapping(found);
}

/** Merges overlapping finds: the first one's name, over the range of all. */
function joinOverlapping(found: FoundSecret[]): FoundSecret[] {
  found.sort((a, b) => a.start - b.start || b.end - a.end);
  const apart: FoundSecret[] = [];
  for (const secret of found) {
    const last = apart.at(-1);
    if (!last || secret.start >= last.end) apart.push(secret);
    else if (secret.end > last.end) apart[apart.length - 1] = { ...last, end: secret.end };
  }
  return apart;
}

/** The text with the name of each secret in its place: "[removed: GitHub token]". Doing it again changes nothing. */
export function redactSecrets(text: string): Redacted {
  return atOnce(removeSecrets(text));
}

/** The same in slices. */
export function* removeSecrets(text: string): Sliced<Redacted> {
  const found = yield* lookForSecrets(text);
  let redacted = "";
  let at = 0;
  for (const { name, start, end } of found) {
    yield;
    redacted += `${text.slice(at, start)}[removed: ${name}]`;
    at = end;
  }
  return { text: redacted + text.slice(at), found };
}

/** The same of lines, of which a secret may take up several: each is as long as it was or has the name in it. */
export function redactLines(lines: readonly string[]): string[] {
  return atOnce(removeFromLines(lines));
}

/** The same in slices. */
export function* removeFromLines(lines: readonly string[]): Sliced<string[]> {
  const found = yield* lookForSecrets(lines.join("\n"));
  const redacted: string[] = [];
  let next = 0;
  let from = 0;
  for (const line of lines) {
    const to = from + line.length;
    let clean = "";
    let at = from;
    for (let n = next; n < found.length; n++) {
      const { end, name, start } = found[n] as FoundSecret;
      if (start >= to) break;
      if (end <= from) continue;
      clean += `${line.slice(at - from, Math.max(0, start - from))}[removed: ${name}]`;
      at = Math.min(to, end);
      if (end <= to) next = n + 1;
    }
    redacted.push(clean + line.slice(at - from));
    from = to + 1;
  }
  return redacted;
}

function* findByRule(text: string, rule: SecretRule, found: FoundSecret[]): Sliced<void> {
  const { look, name, pattern, reach = USUAL_REACH } = rule;
  yield* searchInWindows(text, { pattern, reach }, (match, offset) => {
    const [start, end] = match.indices?.groups?.secret ?? [match.index, match.index + match[0].length];
    const secret = match.input.slice(start, end);
    if (hasLook(secret, look)) found.push({ name, start: offset + start, end: offset + end });
  });
}

/*
 * Searches a long text for a pattern piece by piece, so that one search takes little time, and finds what one search
 * through all of it would. It may be left between the pieces. Pure.
 */

/** As much is looked through in one go: some milliseconds under the host's engine for the slowest pattern. */
const PIECE = 16_000;
/** What a pattern asks for right before a match. */
const BEFORE = 1;

export interface WindowedPattern {
  /** Global, without `m` and `y`, looking back one character at most. */
  pattern: RegExp;
  /** How many characters behind the beginning of a match it looks at, at most. */
  reach: number;
}

/** Gives each match to `take`, in order, with where in the text the string that was searched begins. */
export function* searchInWindows(
  text: string,
  { pattern, reach }: WindowedPattern,
  take: (match: RegExpExecArray, offset: number) => void,
  piece = PIECE,
): Sliced<void> {
  const search = new RegExp(pattern);
  for (let from = 0; from < text.length; ) {
    yield;
    const begin = Math.max(0, from - BEFORE);
    const end = from + piece;
    const window = text.slice(begin, end + reach);
    search.lastIndex = from - begin;
    let match = search.exec(window);
    // A match that begins behind the piece is found again by the next one, which sees all of it.
    while (match && begin + match.index < end) {
      take(match, begin);
      from = begin + match.index + match[0].length;
      yield;
      match = search.exec(window);
    }
    from = Math.max(from, end);
  }
}
