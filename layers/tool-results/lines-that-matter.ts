import { clean, cutToBytes } from "./clean.js";
import type { Excerpt } from "./excerpt.js";

/** What one looks for first in a long output, the most telling kind first. */
const kinds: readonly RegExp[] = [
  /\b(fatal|panic|traceback|exception|assertion)\b|^\s*(error|FAIL)\b|\berror(\[\w+\])?:|\bexit (code|status)\b/i,
  /\b(\d+ (passed|failed|failing|passing|errors?|warnings?|tests?|matches|problems?|skipped|vulnerabilit(y|ies)))\b|\b(total|found|summary)\b.*\d/i,
  /\b(error|failed|failure|denied|refused|not found|undefined|unable to|cannot|timed? ?out|killed)\b/i,
  /\b(warn|warning|deprecated)\b/i,
];

const LONGEST_LINE_BYTES = 160;
/** Of one kind no more than this, so that the first thousand errors leave room for the summary. */
const MOST_OF_A_KIND = 4;

/**
 * Errors, exit states, counts and warnings between two lines (by number, both excluded), each with its line number,
 * in the order of the text, as many as there is room for. Empty when there are none.
 */
export function findLinesThatMatter(
  excerpt: Excerpt,
  between: { after: number; before: number },
  roomBytes: number,
): string {
  const found = new Map<number, string>();
  const ofKind = kinds.map(() => 0);
  const candidates: { number: number; kind: number; line: string }[] = [];
  forEachLine(excerpt, between, (number, line) => {
    const kind = kinds.findIndex((pattern) => pattern.test(line.slice(0, 400)));
    const count = ofKind[kind];
    if (count === undefined || count >= MOST_OF_A_KIND) return;
    ofKind[kind] = count + 1;
    candidates.push({ number, kind, line });
  });
  let room = roomBytes;
  for (const { number, line } of candidates.sort((a, b) => a.kind - b.kind || a.number - b.number)) {
    const text = `${number}: ${cutToBytes(clean(line.trim()), LONGEST_LINE_BYTES)}\n`;
    const bytes = Buffer.byteLength(text);
    if (bytes > room) continue;
    room -= bytes;
    found.set(number, text);
  }
  return [...found.entries()]
    .sort(([a], [b]) => a - b)
    .map(([, text]) => text)
    .join("");
}

/** Head lines first, then those of the tail that the head does not hold. */
function forEachLine(
  { head, tail, tailStart }: Excerpt,
  { after, before }: { after: number; before: number },
  visit: (number: number, line: string) => void,
): void {
  for (let number = after + 1; number < before && number <= head.length; number++)
    visit(number, head[number - 1] ?? "");
  const start = Math.max(after + 1, head.length + 1, tailStart);
  for (let number = start; number < before; number++) visit(number, tail[number - tailStart] ?? "");
}
