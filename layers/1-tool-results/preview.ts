/**
 * The preview that replaces a large tool result: its size, the path of the whole, how to read on, then head, lines that
 * matter and tail, cut at line ends.
 *
 *     [Strata] This bash result (108,894 bytes in 20,000 lines, exit status 0) was moved out of the context. Nothing is lost, it is in
 *     /project/.opencode/tool-results/3f2a….txt
 *     To read on: Read that file with offset and limit (at most 1,500 lines at a time), or Grep with that path. …
 *     --- first lines
 *     …
 *     --- lines that matter
 *     4711: error: …
 *     --- last lines
 *     …
 *
 * The preview depends only on its input, so a result has the same preview on every machine and at any time.
 */
import { basename } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { formatCount } from "../../src/base/format.js";
import type { Sliced } from "../../src/base/slices.js";
import { quoteForShell } from "../../src/base/text.js";
import { decodeText } from "../../src/io/files.js";
import { NUMBER_OF_READ, rankLine } from "../../src/messages/error-line.js";

/** Maximum size of a preview, in bytes of UTF-8. */
export const PREVIEW_LIMIT_BYTES = 2_048;

export interface PreviewInput {
  tool: string;
  content: Uint8Array;
  /** Absolute path of the file with the content. */
  path: string;
  /** The file that the tool read, if the result is the text of a file. */
  sourcePath?: string | undefined;
  /** `null` if the command was killed before it exited. */
  exitStatus?: number | null | undefined;
  /** The host's note on the result, which is not part of the content. */
  note?: string | undefined;
  /** Number of images and files that stay attached to the result. */
  attachments?: number;
  /** A `read` result up to this size stays in the context; suggested pages should be smaller. */
  pageBytes: number;
}

/** Read cuts lines longer than this. */
const READ_LINE_LIMIT = 2_000;
/** Minimum room for a useful head and tail. */
const LEAST_ROOM_BYTES = 400;
/** Shares of the room; the head gets the rest, with what the lines that matter leave. */
const TAIL_SHARE = 0.3;
const MATTER_SHARE = 0.3;

/** The preview; `undefined` if the path is so long that none fits. */
export function* writePreview(input: PreviewInput): Sliced<string | undefined> {
  const excerpt = yield* readExcerpt(input.content);
  yield;
  const long = formatHeader(input, excerpt, formatReadOn(input, excerpt));
  const short = formatHeader(input, excerpt, "Read that file to see more.");
  const header = [long, short].find((text) => byteLength(text) + LEAST_ROOM_BYTES <= PREVIEW_LIMIT_BYTES);
  if (header === undefined) return undefined;
  return header + (yield* writeBody(excerpt, PREVIEW_LIMIT_BYTES - byteLength(header)));
}

function formatHeader(input: PreviewInput, excerpt: Excerpt, readOn: string): string {
  const tool = cutToBytes(clean(input.tool), 80);
  const lines = excerpt.lines === 1 ? "one line" : `${formatCount(excerpt.lines)} lines`;
  const facts = `${formatCount(excerpt.bytes)} bytes in ${lines}${formatExit(input.exitStatus)}`;
  // A `read` result may be only a part of its file, so the file has only what Read showed.
  const claim = input.sourcePath === undefined ? " Nothing is lost, it is in" : " What Read showed is in";
  const attachments = input.attachments ? " What is attached to it stays attached." : "";
  const note = input.note === undefined ? "" : `${cutToBytes(clean(input.note.replace(/\s+/g, " ")), 300)}\n`;
  return (
    `[Strata] This ${tool} result (${facts}) was moved out of the context.${claim}\n` +
    `${input.path}\n${readOn}${attachments}\n${note}`
  );
}

function formatExit(exitStatus: number | null | undefined): string {
  if (exitStatus === undefined) return "";
  return exitStatus === null ? ", ended before it was done" : `, exit status ${exitStatus}`;
}

function formatReadOn({ path, sourcePath, pageBytes }: PreviewInput, excerpt: Excerpt): string {
  const file = sourcePath ?? path;
  const range = sourcePath === undefined ? undefined : findSourceRange(excerpt);
  const lines = range ? `lines ${formatCount(range.first)} to ${formatCount(range.last)}` : "the text";
  const these = sourcePath === undefined ? "" : `It shows ${lines} of ${sourcePath}. `;
  if (excerpt.longestLine >= READ_LINE_LIMIT) {
    const quoted = quoteForShell(file);
    return (
      `${these}To read on: its lines are too long for Read and Grep, so take pieces with bash, if you have it: ` +
      `tail -c +2049 ${quoted} | head -c 4000, or grep -o '.\\{0,99\\}PATTERN.\\{0,99\\}' ${quoted}`
    );
  }
  const limit = `offset and limit (at most ${formatCount(countLinesWithin(pageBytes, excerpt))} lines at a time)`;
  return sourcePath === undefined
    ? `To read on: Read that file with ${limit}, or Grep with that path. The call need not be made again.`
    : `${these}To read on: Read ${basename(sourcePath)} there with ${limit}.`;
}

/** The line range shown by a `read` result, from the numbers that OpenCode puts before the lines. */
function findSourceRange({ head, tail }: Excerpt): { first: number; last: number } | undefined {
  const readNumber = (line: string): number | undefined => {
    const digits = /^(\d+): /.exec(line)?.[1];
    return digits === undefined ? undefined : Number(digits);
  };
  const first = head.slice(0, 10).map(readNumber).find(isNumber);
  const last = tail.slice(-10).map(readNumber).findLast(isNumber);
  return first === undefined || last === undefined ? undefined : { first, last };
}

const isNumber = (value: number | undefined): value is number => value !== undefined;

/** Number of average lines, with Read's line numbers, that stay well below the threshold. */
function countLinesWithin(pageBytes: number, { bytes, lines }: Excerpt): number {
  const lineNumberBytes = 8;
  const fitting = Math.floor((pageBytes * 0.8) / (bytes / lines + lineNumberBytes));
  const steps = fitting >= 1_000 ? 500 : fitting >= 100 ? 50 : 5;
  return Math.max(5, Math.min(2_000, Math.floor(fitting / steps) * steps));
}

function* writeBody(excerpt: Excerpt, roomBytes: number): Sliced<string> {
  const labels = { head: "--- first lines\n", matter: "--- lines that matter\n", tail: "--- last lines\n" };
  const labelBytes = Object.values(labels).reduce((sum, label) => sum + byteLength(label), 0);
  const room = roomBytes - labelBytes;

  const tail = takeFromEnd(excerpt.tail, Math.floor(room * TAIL_SHARE));
  const firstOfTail = excerpt.lines - tail.count + 1;
  // Estimates the head first, so that its lines do not also count as lines that matter; the final head is no shorter.
  const guess = takeFromStart(excerpt.head, Math.floor(room * (1 - TAIL_SHARE)), firstOfTail);
  const between = { after: guess.count, before: firstOfTail };
  const matter = yield* findLinesThatMatter(excerpt, between, Math.floor(room * MATTER_SHARE));
  const head = takeFromStart(excerpt.head, room - byteLength(tail.text) - byteLength(matter), firstOfTail);

  return [
    head.text && labels.head + head.text,
    matter && labels.matter + matter,
    tail.text && labels.tail + tail.text,
  ]
    .join("")
    .trimEnd();
}

interface Taken {
  text: string;
  /** Number of lines in the text, including a cut one. */
  count: number;
}

/** Whole lines from the start up to line `before` (excluded), or the beginning of a first line that is too long. */
function takeFromStart(lines: readonly string[], roomBytes: number, before: number): Taken {
  const taken = takeWhole(lines.slice(0, Math.max(0, before - 1)), roomBytes);
  const [first] = lines;
  if (taken.length > 0 || first === undefined) return { text: taken.join(""), count: taken.length };
  const ellipsis = "…\n";
  const start = cutToBytes(clean(first.slice(0, roomBytes)), roomBytes - byteLength(ellipsis));
  return start === "" ? { text: "", count: 0 } : { text: start + ellipsis, count: 1 };
}

/** Whole lines up to the end, or the end of a last line that is too long. */
function takeFromEnd(lines: readonly string[], roomBytes: number): Taken {
  const taken = takeWhole(lines.slice(-roomBytes).reverse(), roomBytes);
  const last = lines.at(-1);
  if (taken.length > 0 || last === undefined) return { text: taken.reverse().join(""), count: taken.length };
  const ellipsis = "…";
  const end = cutToLastBytes(clean(last.slice(-roomBytes)), roomBytes - byteLength(ellipsis) - 1);
  return { text: `${ellipsis}${end}\n`, count: 1 };
}

/** The first lines, with their line ends, as many as fit. */
function takeWhole(lines: readonly string[], roomBytes: number): string[] {
  const taken: string[] = [];
  let left = roomBytes;
  for (const raw of lines) {
    if (raw.length > roomBytes) break;
    const line = `${clean(raw)}\n`;
    left -= byteLength(line);
    if (left < 0) break;
    taken.push(line);
  }
  return taken;
}

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
function* findLinesThatMatter(
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

/* Prepares text for a preview: removes control characters, cuts between characters, measures bytes. */

/** Removes terminal colours and control characters; replaces lone surrogates, which UTF-8 cannot encode. */
export function clean(line: string): string {
  return stripVTControlCharacters(line)
    .replace(/(?!\t)\p{Cc}/gu, "")
    .replace(/\p{Surrogate}/gu, "\ufffd");
}

/** The longest prefix of `text` that fits, cut between characters. */
function cutToBytes(text: string, limitBytes: number): string {
  const bytes = Buffer.from(text).subarray(0, Math.max(0, limitBytes));
  // A decoder that waits for more leaves half a character out.
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes, { stream: true });
}

/** The longest suffix of `text` that fits, cut between characters. */
function cutToLastBytes(text: string, limitBytes: number): string {
  const bytes = Buffer.from(text);
  let start = Math.max(0, bytes.length - limitBytes);
  // Bytes of a character behind its first.
  while ((bytes[start] ?? 0) >> 6 === 0b10) start++;
  return bytes.toString("utf8", start);
}

/** Length in bytes of UTF-8. */
const byteLength = (text: string): number => Buffer.byteLength(text);

/**
 * The part of a result that a preview is made from: all of it or, if it is large, its beginning and end. Decoding is
 * lenient, so that a result in another encoding, or cut inside a character, still gets a preview.
 */
interface Excerpt {
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

function* readExcerpt(content: Uint8Array): Sliced<Excerpt> {
  const lines = countLines(content);
  yield;
  const isWhole = content.byteLength <= 2 * WINDOW_BYTES;
  const head = yield* decodeLines(isWhole ? content : content.subarray(0, WINDOW_BYTES));
  const tail = isWhole ? head : yield* decodeLines(content.subarray(-WINDOW_BYTES));
  const longestLine = Math.max(findLongest(head), findLongest(tail));
  return { bytes: content.byteLength, lines, longestLine, head, tail, tailStart: lines - tail.length + 1 };
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
