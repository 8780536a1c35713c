/** Messages of real users with what is worth keeping in them, as two files of JSON lines hold them. */
import { readFileSync } from "node:fs";
import type { MemoryType } from "../../src/memory/memory.js";

/** What a thoughtful colleague would carry to the next session. */
export interface Expected {
  /** Stands in the message letter by letter. */
  says: string;
  type: MemoryType;
  strength: "strong" | "weak";
}

export interface LabelledMessage {
  /** Line of the messages' file, from 0. */
  n: number;
  repo: string;
  text: string;
  /** ISO 639-1, of the user's own words; `und` where there are none. */
  lang: string;
  whose: "typed" | "mixed" | "pasted";
  kind: string;
  expected: readonly Expected[];
}

interface Label extends Omit<LabelledMessage, "text"> {}

/** The labelled ones of the messages, in the labels' order. */
export function readLabelled(messagesFile: string, labelsFile: string): LabelledMessage[] {
  const texts = readLines<{ text: string }>(messagesFile).map(({ text }) => text);
  return readLines<Label>(labelsFile).map((label) => {
    const text = texts[label.n];
    if (text === undefined)
      throw new Error(`expected a message at line ${label.n} of ${messagesFile}, it has ${texts.length}`);
    return { ...label, text };
  });
}

export function readLines<T>(path: string): T[] {
  return readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as T);
}
