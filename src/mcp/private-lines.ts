/** Finds lines that repeat a private memory: session notes quote the user, who said it there. Pure. */
import type { Memory } from "../memory/memory.js";
import { foldLetters } from "../text/text.js";

/** Minimum letters and digits of a content; a shorter one would match almost anything. */
const LEAST = 5;
/** The same for a title, a quote such as "yes", and a line that a longer private text contains. */
const LEAST_OF_PART = 12;

/** The function returned is `true` for a line that repeats one of these memories or a part of it. */
export function createRepeats(memories: readonly Memory[]): (line: string) => boolean {
  const fold = (texts: readonly string[], least: number): string[] =>
    texts.map(foldLetters).filter((text) => text.length >= least);
  const contents = memories.map(({ content }) => content);
  const parts = memories.flatMap(({ provenance, title }) => [title, provenance.evidence ?? ""]);
  const folded = [...new Set([...fold(contents, LEAST), ...fold(parts, LEAST_OF_PART)])];
  return (line) => {
    const said = foldLetters(line);
    return folded.some(
      (text) => said.includes(text) || (said.length >= LEAST_OF_PART && text.includes(said)),
    );
  };
}
