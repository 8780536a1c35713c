/** Where a long line can end and still say something. */
const ENDINGS = [/^.{20,}(?=[.;:,!?](?:\s|$)|[。；，！？]| [—–-] )/su, /^.{20,}(?=\s)/su];

/** A title of at most so many characters: to the end of the last clause that fits, else of a word. Never with an ellipsis. */
export function shortenTitle(words: string, most: number): string {
  const letters = [...words];
  if (letters.length <= most) return words;
  const head = letters.slice(0, most).join("");
  const ended = ENDINGS.map((one) => one.exec(head)?.[0]).find((one) => one !== undefined);
  return (ended ?? head).trimEnd();
}
