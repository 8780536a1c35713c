import type { Sliced } from "../../src/slices.js";
import { clean, cutToBytes } from "./clean.js";
import type { Excerpt } from "./excerpt.js";

/** What one looks for first in a long output, the most telling kind first. */
const kinds: readonly RegExp[] = [
  // An error that is reported, not one that is only spoken of: "error: …", "TypeError: …", "error TS2304: …".
  /(^|[\s\])])(\w*(error|exception)|fatal|panic)( ?\[?[A-Z]+\d+\]?)?:\s|^error\[\w+\]:|^\s*(Traceback|FAIL(ED)?\b|not ok\b|npm ERR!)|panicked at|Segmentation fault|\*\*\* .*\bError \d/i,
  /\bexit (code|status):? \d|\b(\d+ (passed|failed|failing|passing|errors?|warnings?|problems?|skipped|vulnerabilit(y|ies)))\b|^\s*(total|found|summary)\b.*\d/i,
  // Where one is in a history or a diff.
  /^commit [0-9a-f]{7,40}\b/,
  /^diff --git /,
  /\b(failed|failure|denied|refused|not found|unable to|timed? ?out|killed)\b/i,
  /(^|\s)(warn|warning)\b.*:/i,
];

/** Whether any of the kinds fits, in one go: most lines are of none and need not be looked at more closely. */
const ANY_KIND = new RegExp(kinds.map(({ source }) => source).join("|"), "i");

/** Comments, data and changes to files speak of errors and report none. */
const QUOTED = /^\s*(\/\/|\/?\*|["'`#])|^[+-]\S|^[+-]\s{2}/;

/** Source code does so too, in words that the weaker kinds look for. */
const CODE = /[{};,[(]\s*$|=>|^\s*[}\])]|^[+-]|\b(const|let|function|return|import|class)\b/;

/** Read puts the line's own number in front, which is the one to use. */
const NUMBER_OF_READ = /^\d+: /;

const LONGEST_LINE_BYTES = 160;
/** Characters of a line. */
const LOOKED_AT = 400;
/** Characters of a line that is shown, of which colours and the like are left out. */
const CLEANED = 2_000;
/** "FAIL" is the shortest that says anything. */
const SHORTEST_LINE = 4;
/** Of one kind no more than this, so that the first thousand errors leave room for the summary. */
const MOST_OF_A_KIND = 4;

/** Of a text of short lines so many are looked at in one go. */
const LINES_AT_A_TIME = 2_000;

/**
 * Errors, exit states, counts, landmarks and warnings between two lines (by number, both excluded), each with its line
 * number, in the order of the text, as many as there is room for. Empty when there are none.
 */
export function* findLinesThatMatter(
  excerpt: Excerpt,
  between: { after: number; before: number },
  roomBytes: number,
): Sliced<string> {
  const found: { number: number; text: string }[] = [];
  const ofKind = kinds.map(() => 0);
  const candidates: { number: number; kind: number; line: string }[] = [];
  for (const { number, line } of listLines(excerpt, between)) {
    if (number % LINES_AT_A_TIME === 0) yield;
    const kind = line.length < SHORTEST_LINE ? undefined : findKind(line);
    const count = kind === undefined ? undefined : ofKind[kind];
    if (kind === undefined || count === undefined || count >= MOST_OF_A_KIND) continue;
    ofKind[kind] = count + 1;
    candidates.push({ number, kind, line });
  }
  let room = roomBytes;
  for (const { number, line } of candidates.sort((a, b) => a.kind - b.kind || a.number - b.number)) {
    const own = NUMBER_OF_READ.test(line) ? "" : `${number}: `;
    const text = `${own}${cutToBytes(clean(line.slice(0, CLEANED).trim()), LONGEST_LINE_BYTES)}\n`;
    const bytes = Buffer.byteLength(text);
    if (bytes > room) continue;
    room -= bytes;
    found.push({ number, text });
  }
  return found
    .sort((a, b) => a.number - b.number)
    .map(({ text }) => text)
    .join("");
}

/** The place of the first kind that a line is of; `undefined` for one that says nothing, or only speaks of it. */
function findKind(line: string): number | undefined {
  const start = line.slice(0, LOOKED_AT);
  if (!ANY_KIND.test(start)) return undefined;
  const kind = kinds.findIndex((pattern) => pattern.test(start));
  const plain = start.replace(NUMBER_OF_READ, "");
  return kind === -1 || QUOTED.test(plain) || (kind > 0 && CODE.test(plain)) ? undefined : kind;
}

/** Head lines first, then those of the tail that the head does not hold. */
function* listLines(
  { head, tail, tailStart }: Excerpt,
  { after, before }: { after: number; before: number },
): Generator<{ number: number; line: string }, void, void> {
  for (let number = after + 1; number < before && number <= head.length; number++)
    yield { number, line: head[number - 1] ?? "" };
  const start = Math.max(after + 1, head.length + 1, tailStart);
  for (let number = start; number < before; number++) yield { number, line: tail[number - tailStart] ?? "" };
}
