/** Text made fit for a preview: no control characters, cut between characters, measured in bytes. */

const ESC = String.fromCharCode(0x1b);
const CSI = String.fromCharCode(0x9b);
/** A control sequence of a terminal, ECMA-48 5.4. */
const TERMINAL_SEQUENCE = new RegExp(`(?:${ESC}\\[|${CSI})[0-?]*[ -/]*[@-~]`, "g");

/** Terminal colours and other control characters say nothing to a model; lone surrogates are no UTF-8. */
export function clean(line: string): string {
  return line
    .replace(TERMINAL_SEQUENCE, "")
    .replace(/(?!\t)\p{Cc}/gu, "")
    .replace(/\p{Surrogate}/gu, "\ufffd");
}

/** The longest beginning of `text` that fits, cut between characters. */
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

/** The longest end of `text` that fits, cut between characters. */
export function cutToLastBytes(text: string, limitBytes: number): string {
  const reversed = Array.from(text).reverse();
  let bytes = 0;
  const kept = reversed.findIndex((character) => {
    bytes += byteLength(character);
    return bytes > limitBytes;
  });
  return (kept === -1 ? reversed : reversed.slice(0, kept)).reverse().join("");
}

/** Bytes of UTF-8. */
export const byteLength = (text: string): number => Buffer.byteLength(text);
