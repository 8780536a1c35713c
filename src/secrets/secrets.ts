/**
 * Finds keys, tokens, passwords, private keys and connection strings in a text, so that none of them is written to
 * memory. What only looks like one (a commit's hash, a UUID, a digest, base64 in code, the word "password", a
 * placeholder) is left alone. Pure, and linear in the length of the text except for bounded lookaheads.
 */
import { atOnce, type Sliced } from "../slices.js";
import { type SecretRule, secretRules, USUAL_REACH } from "./secret-rules.js";
import { searchInWindows } from "./windows.js";

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

/** The same in slices. */
export function* lookForSecrets(text: string): Sliced<FoundSecret[]> {
  const lower = text.toLowerCase();
  const found: FoundSecret[] = [];
  for (const rule of secretRules) {
    yield;
    if (rule.hints.some((hint) => lower.includes(hint))) yield* findByRule(text, rule, found);
  }
  found.sort((a, b) => a.start - b.start || b.end - a.end);
  let end = 0;
  return found.filter((secret) => {
    const isApart = secret.start >= end;
    if (isApart) end = secret.end;
    return isApart;
  });
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
  const { name, pattern, reach = USUAL_REACH } = rule;
  yield* searchInWindows(text, { pattern, reach }, (match, offset) => {
    const [start, end] = match.indices?.groups?.secret ?? [match.index, match.index + match[0].length];
    const secret = match.input.slice(start, end);
    if (isSecret(secret, rule)) found.push({ name, start: offset + start, end: offset + end });
  });
}

function isSecret(secret: string, { entropy, mustLookReal }: SecretRule): boolean {
  return (
    !isPlaceholder(secret) &&
    (entropy === undefined || estimateEntropy(secret) >= entropy) &&
    (!mustLookReal || looksReal(secret))
  );
}

/** What documents and settings have instead of a secret: a variable, a blank, a placeholder. */
const PLACEHOLDER =
  /^[$<{%[*]|\[removed|^(your|my|the|some|example|sample|dummy|fake|test|change|insert|enter|replace|put)[-_]?(me|this|here|\w*[-_]?(pass|pwd|key|secret|token))|^(user(name)?|pass(word|wd|phrase)?|pwd|secret|token|(api|access)?[-_]?key|changeme|redacted|hidden|masked|placeholder|required|optional|string|text|number|boolean|null|none|nil|undefined|true|false|empty|env|example|foobar|todo|tbd|unset|disabled|enabled)$/i;

/** What is left out of a key that is shown; a long key may have such a run by chance, and is one all the same. */
const BLANK = /\.{3,}|…|\*{3,}|x{4,}/gi;
const LEAST_BESIDE_BLANKS = 24;

function isPlaceholder(secret: string): boolean {
  const shown = secret.replace(BLANK, "");
  const isBlanked = shown.length < secret.length && shown.length < LEAST_BESIDE_BLANKS;
  return isBlanked || PLACEHOLDER.test(secret) || new Set(secret).size < 3;
}

/** A variable's name or a chain of them; long ones and such with many digits are no names that people give. */
const NAME_IN_CODE =
  /^[A-Za-z_$]{1,30}\d{0,2}[A-Za-z_$]{0,30}([.:]+[A-Za-z_$]{1,30}\d{0,3}[A-Za-z_$]{0,30})*\.?$/;
const PATH = /^(\.{0,2}|~|[A-Za-z]:)[/\\]|^https?:|^([a-z][a-z0-9_.-]*\/)+[a-z0-9_.-]*$|\.[a-z]{1,5}$/;
/** What a password has and a word has not. */
const DIGIT_OR_SIGN = /[\d!@#$%^&*+=~?|]/;

function looksReal(secret: string): boolean {
  const bare = secret.replace(/[.:!?]+$/, "");
  if (!/\p{L}/u.test(bare) || PATH.test(bare)) return false;
  if (/^[A-Za-z]{20,}$/.test(bare)) return estimateEntropy(bare) >= 4;
  // `hunter2` has the form of a name, so only names that are made of several words are believed to be one.
  const isName = NAME_IN_CODE.test(bare) && (/[._$:]|[a-z][A-Z]/.test(bare) || !/\d/.test(bare));
  return DIGIT_OR_SIGN.test(bare) && !isName && !/^[A-Za-z]?\d+[A-Za-z]{0,2}$/.test(bare);
}

/** Shannon's entropy in bits a character. */
function estimateEntropy(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let entropy = 0;
  for (const count of counts.values()) entropy -= (count / text.length) * Math.log2(count / text.length);
  return entropy;
}
