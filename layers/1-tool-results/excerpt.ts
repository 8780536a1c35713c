import { formatCount } from "../../src/format.js";
import { decodeText } from "../../src/seams/files.js";
import type { Sliced } from "../../src/slices.js";

/**
 * What of a result a preview can be made from: all of it, or, of a large one, the first and the last part. Text is
 * decoded leniently, so that a result in another encoding, or cut inside a character, still has a preview.
 */
export interface Excerpt {
  bytes: number;
  lines: number;
  /** Length in UTF-16 units of the longest line seen. */
  longestLine: number;
  /** Lines from the beginning, without their line ends. */
  head: string[];
  /** Lines up to the end; they overlap with `head` when the whole text is there. */
  tail: string[];
  /** Number, from 1, of the first line of `tail`. */
  tailStart: number;
}

/** Beyond twice this many bytes the middle of a result is not looked at. */
const WINDOW_BYTES = 256_000;
const NEWLINE = 0x0a;

export function* readExcerpt(content: Uint8Array): Sliced<Excerpt> {
  const lines = countLines(content);
  yield;
  if (content.byteLength <= 2 * WINDOW_BYTES) {
    const all = yield* decodeLines(content);
    return {
      bytes: content.byteLength,
      lines,
      longestLine: findLongest(all),
      head: all,
      tail: all,
      tailStart: 1,
    };
  }
  const head = yield* decodeLines(content.subarray(0, WINDOW_BYTES));
  const tail = yield* decodeLines(content.subarray(content.byteLength - WINDOW_BYTES));
  const longestLine = Math.max(findLongest(head), findLongest(tail));
  return { bytes: content.byteLength, lines, longestLine, head, tail, tailStart: lines - tail.length + 1 };
}

/** "108,894 bytes in 20,000 lines" */
export function formatSize({ bytes, lines }: Excerpt): string {
  return `${formatCount(bytes)} bytes in ${lines === 1 ? "one line" : `${formatCount(lines)} lines`}`;
}

/** A line end at the very end begins no further line. */
function countLines(content: Uint8Array): number {
  let lines = content.at(-1) === NEWLINE ? 0 : 1;
  // A call for each line would take longer than to look at each byte.
  for (let at = 0; at < content.length; at++) if (content[at] === NEWLINE) lines++;
  return lines;
}

function* decodeLines(content: Uint8Array): Sliced<string[]> {
  const lines = decodeText(content).split("\n");
  yield;
  if (lines.at(-1) === "" && lines.length > 1) lines.pop();
  return lines.map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line));
}

function findLongest(lines: readonly string[]): number {
  return lines.reduce((longest, line) => Math.max(longest, line.length), 0);
}
