/** Prepares text for a preview: removes control characters, cuts between characters, measures bytes. */
import { stripVTControlCharacters } from "node:util";

/** Removes terminal colours and control characters; replaces lone surrogates, which UTF-8 cannot encode. */
export function clean(line: string): string {
  return stripVTControlCharacters(line)
    .replace(/(?!\t)\p{Cc}/gu, "")
    .replace(/\p{Surrogate}/gu, "\ufffd");
}

/** The longest prefix of `text` that fits, cut between characters. */
export function cutToBytes(text: string, limitBytes: number): string {
  let bytes = 0;
  let end = 0;
  for (const character of text) {
    bytes += byteLength(character);
    if (bytes > limitBytes) break;
    end += character.length;
  }
  return text.slice(0, end);
}

/** The longest suffix of `text` that fits, cut between characters. */
export function cutToLastBytes(text: string, limitBytes: number): string {
  const reversed = Array.from(text).reverse();
  let bytes = 0;
  const kept = reversed.findIndex((character) => {
    bytes += byteLength(character);
    return bytes > limitBytes;
  });
  return (kept === -1 ? reversed : reversed.slice(0, kept)).reverse().join("");
}

/** Length in bytes of UTF-8. */
export const byteLength = (text: string): number => Buffer.byteLength(text);
