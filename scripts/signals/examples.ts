/** Labelled messages as examples to learn from: real ones, and invented ones that the repository holds. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type ReadMessage, readMessage } from "../../layers/5-auto-memory/signals/read-message.js";
import type { MemoryType } from "../../src/memory/memory.js";
import { redactSecrets } from "../../src/secrets/secrets.js";
import { atOnce } from "../../src/slices.js";
import { judge } from "./judge.js";
import type { Expected, LabelledMessage } from "./labelled.js";
import type { Example } from "./logistic.js";

export interface LearnedFrom {
  message: LabelledMessage;
  read: ReadMessage;
  /** One for each of its sentences. */
  sentences: readonly Example[];
  /** Of whose words it is. */
  pasted: Example;
}

/** The repository of what was invented. */
export const INVENTED = "invented";

/** A long document has many sentences and is one person's choice; so many count in full. */
const MOST_IN_FULL = 10;
/** What one may keep or not. */
const WEAK = 0.6;
/** An invented message against a real one. */
const INVENTED_MESSAGE = 0.7;

export function readExamples(messages: readonly LabelledMessage[]): LearnedFrom[] {
  return messages.map((message) => {
    const read = atOnce(readMessage(redactSecrets(message.text).text));
    const hits = judge(
      message,
      read.sentences.map(({ placed }) => ({ type: "", text: placed.whole })),
    ).hits;
    const isInvented = message.repo === INVENTED;
    const many = Math.min(1, MOST_IN_FULL / Math.max(1, read.sentences.length));
    const base = isInvented ? INVENTED_MESSAGE : many;
    const sentences = read.sentences.map(({ signs }, index): Example => {
      const of = hits[index]?.of ?? [];
      const isWeak = of.length > 0 && of.every(({ strength }) => strength === "weak");
      return { signs, isPositive: of.length > 0, weight: base * (isWeak ? WEAK : 1) };
    });
    const pasted = { signs: ["bias", ...read.traits], isPositive: message.whose === "pasted", weight: 1 };
    return { message, read, sentences, pasted };
  });
}

/** Folder of the invented messages, below the repository's root. */
export const INVENTED_FOLDER = "test/samples/invented";

/** All that was invented, as examples. */
export function readAllInvented(root: string): LearnedFrom[] {
  return readExamples(readInvented(join(root, INVENTED_FOLDER)));
}

const MARKED = /\{\{(\w+):([^}]+)\}\}/g;

/** Messages of which the marked parts are to be kept: `{{directive:never push}}`; `\n` is a line's end. */
export function readInvented(folder: string): LabelledMessage[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".txt"))
    .sort()
    .flatMap((name) => readFileSync(join(folder, name), "utf8").trimEnd().split("\n"))
    .map((line) => {
      const expected: Expected[] = [];
      const text = line.replaceAll("\\n", "\n").replace(MARKED, (_, type: MemoryType, says: string) => {
        expected.push({ type, says, strength: "strong" });
        return says;
      });
      return invented(text, expected);
    });
}

function invented(text: string, expected: readonly Expected[]): LabelledMessage {
  return { n: -1, repo: INVENTED, text, lang: "", whose: "typed", kind: "", expected };
}
