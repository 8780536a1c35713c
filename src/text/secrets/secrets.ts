/**
 * Finds keys, tokens, passwords, private keys and connection strings in a text, so that none of them is written to
 * memory. What only looks like one (a commit's hash, a UUID, a digest, base64 in code, the word "password", a
 * placeholder) is left alone. Pure, and linear in the length of the text except for bounded lookaheads.
 */
import { cut, toLine } from "../../base/text.js";
import { isPlausible } from "./plausible.js";
import { isKeyNoun, type SecretRule, secretRules } from "./rules.js";

interface FoundSecret {
  /** What it is, in words: "GitHub token". */
  name: string;
  /** Its position in UTF-16 units; the end is exclusive. */
  start: number;
  end: number;
}

/** The secrets in a text, in its order, none within another. Takes about a millisecond for 10,000 characters. */
export const findSecrets = (text: string): FoundSecret[] =>
  joinOverlapping(findHinted(text).flatMap((rule) => findByRule(text, rule)));

function findByRule(text: string, rule: SecretRule): FoundSecret[] {
  const found: FoundSecret[] = [];
  const pattern = rule.pattern();
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const [start, end] = match.indices?.groups?.secret ?? [match.index, match.index + match[0].length];
    const isSecret = isPlaced(text, match, rule) && isPlausible(text.slice(start, end), rule.form);
    if (isSecret) found.push({ name: rule.name, start, end });
    // A token may begin within what only looks like one.
    else if (rule.isWord) pattern.lastIndex = match.index + 1;
  }
  return found;
}

/** Does a name that announces a key begin a word, or a word of a variable such as `myAlgoliaKey`, and say that it does? */
function isPlaced(text: string, { groups, index }: RegExpExecArray, { isNamed }: SecretRule): boolean {
  if (!isNamed) return true;
  const isAfterWord = /[A-Za-z0-9]/.test(text[index - 1] ?? "");
  const isCamelCase = /[a-z][A-Z]/.test(text.slice(index - 1, index + 1));
  const isAfterEscape = /\\[nrt]/.test(text.slice(Math.max(0, index - 2), index));
  if (isAfterWord && !isCamelCase && !isAfterEscape) return false;
  return isKeyNoun(`${groups?.name}${groups?.noun}`);
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
export function redactSecrets(text: string) {
  const found = findSecrets(text);
  let redacted = "";
  let at = 0;
  for (const { name, start, end } of found) {
    redacted += `${text.slice(at, start)}[removed: ${name}]`;
    at = end;
  }
  return { text: redacted + text.slice(at), found };
}

/** The same of lines, of which a secret may take up several: each is as long as it was or has the name in it. */
export function redactLines(lines: readonly string[]): string[] {
  const found = findSecrets(lines.join("\n"));
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

/** The text with user names and passwords removed from its URLs. */
export const withoutCredentials = (text: string): string => text.replace(/\/\/[^/@\s]*@/g, "//");

/** A power of two. */
const PLACES = 16_384;

/** A place for the three characters there. */
const placeAt = (text: string, at: number): number =>
  (text.charCodeAt(at) * 961 + text.charCodeAt(at + 1) * 31 + text.charCodeAt(at + 2)) & (PLACES - 1);

const hinted = secretRules.flatMap((rule) => rule.hints.map((hint) => ({ hint, rule })));
const NONE: typeof hinted = [];
const shortHints = hinted.filter(({ hint }) => hint.length < 3);
const byPlace = groupByPlace(hinted.filter(({ hint }) => hint.length >= 3));

function groupByPlace(hints: typeof hinted): readonly (typeof hinted)[] {
  const places = new Array<typeof hinted>(PLACES).fill(NONE);
  for (const one of hints) places[placeAt(one.hint, 0)] = [...(places[placeAt(one.hint, 0)] ?? NONE), one];
  return places;
}

/** The rules of which a text contains a hint, in letters of either case: one pass for all of them. */
function findHinted(text: string): SecretRule[] {
  const lower = text.toLowerCase();
  const found = new Set(shortHints.flatMap(({ hint, rule }) => (lower.includes(hint) ? rule : [])));
  for (let at = 0; at + 2 < lower.length; at++)
    for (const { hint, rule } of byPlace[placeAt(lower, at)] ?? NONE)
      if (lower.startsWith(hint, at)) found.add(rule);
  return secretRules.filter((rule) => found.has(rule));
}

/** Like `toLine`, but removes secrets before the cut: half a key would not be recognised as one. */
export function toSafeLine(text: string, limit: number): string {
  return toLine(redactSecrets(cut(text, 4 * limit + 400)).text, limit);
}
