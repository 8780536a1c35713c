/**
 * What a small model is given to judge candidates, and what of its answer is believed. It is given only what the user
 * wrote, so that no tool and no page can speak through it. It accepts or drops, and chooses type and aliases; the words of
 * a memory are always the user's.
 */
import type { Verdict } from "../../../src/candidates/candidate.js";
import { TAKES_OVER } from "../../../src/gate/check-draft.js";
import { type MemoryType, memoryTypes, usersTypes } from "../../../src/memory/memory.js";
import { isRecord, parseJson } from "../../../src/records.js";
import type { Sliced } from "../../../src/slices.js";
import { cut } from "../../../src/text.js";
import { readOwnSentences } from "../signals/own-lines.js";

/** A sentence to be judged. */
export interface Judged {
  type: MemoryType;
  text: string;
}

export interface Answer {
  /** By the place of the sentence, from 0. */
  accepted: ReadonlyMap<number, Verdict>;
  /** Places of sentences that are not worth keeping. */
  dropped: ReadonlySet<number>;
  /** What was not believed, and why; for the log. */
  faults: readonly string[];
}

const MATERIAL_CHARACTERS = 6_000;
const LONGEST_WORD = 60;
const MOST_WORDS = 6;

/** The text and the sentences, below the task. */
export function* formatMaterial(texts: readonly string[], sentences: readonly Judged[]): Sliced<string> {
  const own: string[] = [];
  for (const text of texts) {
    const written = yield* readOwnSentences(text);
    if (written.length > 0) own.push(written.join(" "));
  }
  const numbered = sentences.map(({ text, type }, index) => `${index + 1}. (${type}) ${text}`);
  return `<said>\n${cut(own.join("\n\n"), MATERIAL_CHARACTERS)}\n</said>\n\n<sentences>\n${numbered.join("\n")}\n</sentences>`;
}

/**
 * What can be believed of an answer; sentences without a valid verdict are in neither list. `undefined` if it is not an
 * answer to the task at all.
 */
export function parseAnswer(text: string, sentences: readonly Judged[]): Answer | undefined {
  const value = parseObject(text);
  if (!value || !Array.isArray(value.memories)) return undefined;
  const accepted = new Map<number, Verdict>();
  const dropped = new Set<number>();
  const faults: string[] = [];
  for (const entry of value.memories.slice(0, 2 * sentences.length)) {
    const place = readPlace(isRecord(entry) ? entry.from : undefined, sentences);
    const sentence = place === undefined ? undefined : sentences[place];
    if (!sentence || place === undefined || !isRecord(entry) || accepted.has(place)) {
      faults.push("a verdict names no sentence, or one that has a verdict");
      continue;
    }
    const read = readVerdict(entry, sentence);
    if ("fault" in read) faults.push(`${place + 1}: ${read.fault}`);
    else accepted.set(place, read);
  }
  for (const entry of Array.isArray(value.ignore) ? value.ignore : []) {
    const place = readPlace(entry, sentences);
    if (place !== undefined && !accepted.has(place)) dropped.add(place);
  }
  return { accepted, dropped, faults };
}

/** A longer text is no list of a few verdicts, and reading it would block the host. */
const LONGEST_ANSWER = 200_000;

function parseObject(text: string): Record<string, unknown> | undefined {
  if (text.length > LONGEST_ANSWER) return undefined;
  const bare = text.trim().replace(/^```(?:json)?\s*\n([\s\S]*)\n```$/, "$1");
  const value = parseJson(bare);
  return isRecord(value) ? value : undefined;
}

function readPlace(from: unknown, sentences: readonly Judged[]): number | undefined {
  const isPlace = Number.isInteger(from) && Number(from) >= 1 && Number(from) <= sentences.length;
  return isPlace ? Number(from) - 1 : undefined;
}

function readVerdict(entry: Record<string, unknown>, sentence: Judged): Verdict | { fault: string } {
  const type = memoryTypes.find((one) => one === entry.type);
  if (!type) return { fault: "its type is unknown" };
  // Only the user's sentence itself can make it a rule.
  if (usersTypes.has(type) && !usersTypes.has(sentence.type))
    return { fault: `a ${sentence.type} became a ${type}` };
  const aliases = readWords(entry.aliases);
  return aliases ? { type, aliases } : { fault: "its aliases are not a few short words" };
}

/** `undefined` for anything but a short list of short words; a missing list is empty. */
function readWords(value: unknown): string[] | undefined {
  if (value === undefined) return [];
  if (!Array.isArray(value) || value.length > MOST_WORDS) return undefined;
  return value.every(isWord) ? value : undefined;
}

const isWord = (value: unknown): value is string =>
  typeof value === "string" &&
  value.trim() !== "" &&
  value.length <= LONGEST_WORD &&
  !/[\p{Cc}\u2028\u2029]/u.test(value) &&
  !TAKES_OVER.test(value);
