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
import { formatCount } from "../../src/base/format.js";
import type { Sliced } from "../../src/base/slices.js";
import { byteLength, clean, cutToBytes, cutToLastBytes } from "./clean.js";
import { type Excerpt, formatSize, readExcerpt } from "./excerpt.js";
import { findLinesThatMatter } from "./lines-that-matter.js";

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
  const facts = `${formatSize(excerpt)}${formatExit(input.exitStatus)}`;
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

function quoteForShell(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

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
  let text = "";
  let count = 0;
  for (const raw of lines.slice(0, Math.max(0, before - 1))) {
    if (raw.length > roomBytes) break;
    const line = `${clean(raw)}\n`;
    if (byteLength(text) + byteLength(line) > roomBytes) break;
    text += line;
    count++;
  }
  const [first] = lines;
  if (count > 0 || first === undefined) return { text, count };
  const ellipsis = "…\n";
  const start = cutToBytes(clean(first.slice(0, roomBytes)), roomBytes - byteLength(ellipsis));
  return start === "" ? { text: "", count: 0 } : { text: start + ellipsis, count: 1 };
}

/** Whole lines up to the end, or the end of a last line that is too long. */
function takeFromEnd(lines: readonly string[], roomBytes: number): Taken {
  let text = "";
  let count = 0;
  for (let index = lines.length - 1; index >= 0; index--) {
    const raw = lines[index] ?? "";
    if (raw.length > roomBytes) break;
    const line = `${clean(raw)}\n`;
    if (byteLength(text) + byteLength(line) > roomBytes) break;
    text = line + text;
    count++;
  }
  const last = lines.at(-1);
  if (count > 0 || last === undefined) return { text, count };
  const ellipsis = "…";
  const end = cutToLastBytes(clean(last.slice(-roomBytes)), roomBytes - byteLength(ellipsis) - 1);
  return { text: `${ellipsis}${end}\n`, count: 1 };
}
