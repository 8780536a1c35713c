/** Labelled messages as examples to learn from: real ones, and invented ones that the repository holds. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type ReadMessage, readMessage } from "../../layers/5-auto-memory/signals/read-message.js";
import type { MemoryType } from "../../src/memory/memory.js";
import { redactSecrets } from "../../src/secrets/secrets.js";
import { atOnce } from "../../src/slices.js";
import { judge } from "./judge.js";
import { type Expected, type LabelledMessage, readLines } from "./labelled.js";
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
/** Invented messages, and sentences that stand alone, against real ones. */
const INVENTED_MESSAGE = 1;
const INVENTED_SENTENCE = 0.1;

export function readExamples(messages: readonly LabelledMessage[], isShort = false): LearnedFrom[] {
  return messages.map((message) => {
    const read = atOnce(readMessage(redactSecrets(message.text).text));
    const hits = judge(
      message,
      read.sentences.map(({ placed }) => ({ type: "", text: placed.whole })),
    ).hits;
    const isInvented = message.repo === INVENTED;
    const many = Math.min(1, MOST_IN_FULL / Math.max(1, read.sentences.length));
    const base = isInvented ? (isShort ? INVENTED_SENTENCE : INVENTED_MESSAGE) : many;
    const sentences = read.sentences.map(({ signs }, index): Example => {
      const of = hits[index]?.of ?? [];
      const isWeak = of.length > 0 && of.every(({ strength }) => strength === "weak");
      return { signs, isPositive: of.length > 0, weight: base * (isWeak ? WEAK : 1) };
    });
    const pasted = { signs: ["bias", ...read.traits], isPositive: message.whose === "pasted", weight: 1 };
    return { message, read, sentences, pasted };
  });
}

/** Below the repository's root. */
export const INVENTED_FILES = [
  "test/samples/invented",
  "test/samples/utterances.jsonl",
  "test/samples/utterances-fresh.jsonl",
];

/** All that was invented, as examples. */
export function readAllInvented(root: string): LearnedFrom[] {
  const [folder = "", ...files] = INVENTED_FILES.map((path) => join(root, path));
  return [...readExamples(readInvented(folder)), ...readExamples(readUtterances(files), true)];
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

/** Sentences of which each is to be kept as a whole, or not at all. */
export function readUtterances(files: readonly string[]): LabelledMessage[] {
  return files
    .flatMap((file) => readLines<{ text: string; types?: MemoryType[] }>(file))
    .map(({ text, types }) =>
      invented(text, types?.[0] ? [{ type: types[0], says: text, strength: "strong" }] : []),
    );
}

function invented(text: string, expected: readonly Expected[]): LabelledMessage {
  return { n: -1, repo: INVENTED, text, lang: "", whose: "typed", kind: "", expected };
}
