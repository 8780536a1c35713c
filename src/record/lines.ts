/** Reads lines of a possibly long file in batches, yielding to other work in between. */
import type { Files } from "../seams/files.js";

/** Batch sizes, in lines and bytes, that take a few milliseconds. */
const LINES_AT_A_TIME = 500;
const BYTES_AT_A_TIME = 64 * 1024;

/** Passes each line to `take`, in order and without its newline, including a last line that has none. */
export async function takeLines(
  files: Pick<Files, "stat">,
  path: string,
  bytes: Uint8Array,
  take: (line: string) => void,
): Promise<void> {
  let taken = 0;
  for (const piece of cutAtLines(bytes)) {
    for (const line of piece.split("\n")) {
      if (taken++ > 0 && taken % LINES_AT_A_TIME === 1) await giveWay(files, path);
      take(line);
    }
    if (bytes.byteLength > BYTES_AT_A_TIME) await giveWay(files, path);
  }
}

/**
 * Passes each complete line from this offset on to `take`, and returns the offset for the next read. A last line without
 * a newline may still be incomplete, so it is left for the next read.
 */
export async function takeNewLines(
  files: Pick<Files, "readFrom" | "stat">,
  path: string,
  offset: number,
  take: (line: string) => void,
): Promise<number> {
  const bytes = (await files.readFrom(path, offset)) ?? new Uint8Array();
  const length = bytes.lastIndexOf(0x0a) + 1;
  await takeLines(files, path, bytes.subarray(0, length), take);
  return offset + length;
}

/** Any disk access yields to other work. */
export const giveWay = (files: Pick<Files, "stat">, path: string): Promise<unknown> => files.stat(path);

/** Texts of whole lines without the last newline. A text exceeds the batch size only if a single line does. */
function* cutAtLines(bytes: Uint8Array): Generator<string, void, void> {
  const decoder = new TextDecoder();
  for (let from = 0; from < bytes.byteLength; ) {
    const last = bytes.subarray(from, from + BYTES_AT_A_TIME).lastIndexOf(0x0a);
    const found = last === -1 ? bytes.indexOf(0x0a, from + BYTES_AT_A_TIME) : from + last;
    const end = found === -1 || bytes.byteLength - from <= BYTES_AT_A_TIME ? bytes.byteLength : found;
    yield decoder.decode(bytes.subarray(from, end));
    from = end + 1;
  }
}
