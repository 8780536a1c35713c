import { formatCount } from "../../src/base/format.js";
import type { Sliced } from "../../src/base/slices.js";
import { decodeText } from "../../src/io/files.js";

/**
 * The part of a result that a preview is made from: all of it or, if it is large, its beginning and end. Decoding is
 * lenient, so that a result in another encoding, or cut inside a character, still gets a preview.
 */
export interface Excerpt {
  bytes: number;
  lines: number;
  /** Length of the longest line in `head` and `tail`, in UTF-16 units. */
  longestLine: number;
  /** First lines, without line ends. */
  head: string[];
  /** Last lines; the same as `head` if the excerpt is the whole text. */
  tail: string[];
  /** Line number of the first line of `tail`, from 1. */
  tailStart: number;
}

/** The middle of a result larger than twice this is skipped. */
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

/** A final line end starts no further line. */
function countLines(content: Uint8Array): number {
  let lines = content.at(-1) === NEWLINE ? 0 : 1;
  // Faster than calling indexOf for each line.
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
