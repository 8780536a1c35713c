import type { Sliced } from "../../src/base/slices.js";
import { NUMBER_OF_READ, rankLine } from "../../src/messages/telling-line.js";
import { clean, cutToBytes } from "./clean.js";
import type { Excerpt } from "./excerpt.js";

const LONGEST_LINE_BYTES = 160;
/** Characters of a line that are cleaned before it is cut to its bytes. */
const CLEANED = 2_000;
/** Maximum lines of one kind, so that a thousand errors leave room for the summary. */
const MOST_OF_A_KIND = 4;

/** Lines checked before yielding. */
const LINES_AT_A_TIME = 2_000;

/**
 * Errors, exit states, counts, landmarks and warnings between two line numbers (both excluded), as many as fit, each
 * with its line number, in text order. Empty if there are none.
 */
export function* findLinesThatMatter(
  excerpt: Excerpt,
  between: { after: number; before: number },
  roomBytes: number,
): Sliced<string> {
  const found: { number: number; text: string }[] = [];
  const ofRank = new Map<number, number>();
  const candidates: { number: number; rank: number; line: string }[] = [];
  for (const { number, line } of listLines(excerpt, between)) {
    if (number % LINES_AT_A_TIME === 0) yield;
    const rank = rankLine(line);
    const count = (rank !== undefined && ofRank.get(rank)) || 0;
    if (rank === undefined || count >= MOST_OF_A_KIND) continue;
    ofRank.set(rank, count + 1);
    candidates.push({ number, rank, line });
  }
  let room = roomBytes;
  for (const { number, line } of candidates.sort((a, b) => a.rank - b.rank || a.number - b.number)) {
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

/** Lines of the head, then those of the tail that are not in the head. */
function* listLines(
  { head, tail, tailStart }: Excerpt,
  { after, before }: { after: number; before: number },
): Generator<{ number: number; line: string }, void, void> {
  for (let number = after + 1; number < before && number <= head.length; number++)
    yield { number, line: head[number - 1] ?? "" };
  const start = Math.max(after + 1, head.length + 1, tailStart);
  for (let number = start; number < before; number++) yield { number, line: tail[number - tailStart] ?? "" };
}
