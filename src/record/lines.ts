/** The lines of a file that may be long, in pieces between which others have their turn. */
import type { Files } from "../seams/files.js";

/** So many lines, or so many bytes, are a few milliseconds of work for whoever reads them. */
const LINES_AT_A_TIME = 500;
const BYTES_AT_A_TIME = 64 * 1024;

/** Gives each line to `take`, without its end, in order; one without an end as well. */
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
 * Gives each whole line that stands in the file from this byte on to `take`; the byte from which to read on. The last
 * line may still be being written: without its end it is left for then.
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

/** A look at the disk lets others have their turn. */
export const giveWay = (files: Pick<Files, "stat">, path: string): Promise<unknown> => files.stat(path);

/** Texts of whole lines, the end of the last one left out; only a line that is longer makes one longer than a piece. */
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
