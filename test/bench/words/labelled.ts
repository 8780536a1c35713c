/** Messages of real users with what is worth keeping in them, from files of JSON lines that are not in this repository. */
import { readFileSync } from "node:fs";
import { foldLetters } from "../../../src/base/text.js";
import type { MemoryType } from "../../../src/memory/memory.js";

/** What a thoughtful colleague would carry to the next session. */
export interface Expected {
  /** Stands in the message letter by letter. */
  says: string;
  type: MemoryType;
  strength: "strong" | "weak";
}

export interface LabelledMessage {
  repo: string;
  /** ISO 639-1, as somebody guessed. */
  lang: string;
  text: string;
  expected: readonly Expected[];
}

interface Line {
  repo: string;
  lang?: string;
  text?: string;
  message?: string;
  expected?: readonly Expected[];
}

/**
 * Lines of `{ repo, lang, text or message, expected }`; those that nobody has judged are left out. So is what is expected
 * and no longer in the text, where addresses have been replaced.
 */
export function readLabelled(paths: readonly string[]): LabelledMessage[] {
  return paths.flatMap(readLines<Line>).flatMap(({ expected, lang = "", message, repo, text = message }) => {
    if (!expected || text === undefined) return [];
    const said = foldLetters(text);
    return [{ repo, lang, text, expected: expected.filter(({ says }) => said.includes(foldLetters(says))) }];
  });
}

export function readLines<T>(path: string): T[] {
  return readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as T);
}
