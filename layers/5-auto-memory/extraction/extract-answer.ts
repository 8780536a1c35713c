/**
 * What a small model is given to judge candidates, and what of its answer is believed. It has only what the user wrote, so
 * no tool and no page can speak through it; and it may only word what was found, in the user's words.
 */
import { TAKES_OVER } from "../../../src/gate/check-draft.js";
import { type MemoryType, memoryTypes, usersTypes } from "../../../src/memory/memory.js";
import { isRecord, parseJson } from "../../../src/records.js";
import type { Sliced } from "../../../src/slices.js";
import { cut } from "../../../src/text.js";
import type { Signal } from "../signals/find-signals.js";
import { readOwnSentences } from "../signals/own-lines.js";

/** A signal as a model has worded it. */
export interface Worded {
  type: MemoryType;
  title: string;
  content: string;
  aliases: readonly string[];
  when: readonly string[];
  evidence: string;
}

export interface Answer {
  /** By the place of the signal, from 0. */
  worded: ReadonlyMap<number, Worded>;
  /** Places of signals that are not worth keeping. */
  ignored: ReadonlySet<number>;
  /** What was not believed, and why; for the log. */
  faults: readonly string[];
}

const MATERIAL_CHARACTERS = 6_000;
const LONGEST_TITLE = 100;
const LONGEST_CONTENT = 600;
const LONGEST_WORD = 60;
const MOST_WORDS = 6;
const SHORTEST_EVIDENCE = 4;

/** The text and the sentences, below the task. */
export function* formatMaterial(texts: readonly string[], signals: readonly Signal[]): Sliced<string> {
  const own: string[] = [];
  for (const text of texts) {
    const sentences = yield* readOwnSentences(text);
    if (sentences.length > 0) own.push(sentences.join(" "));
  }
  const sentences = signals.map(({ text, type }, index) => `${index + 1}. (${type}) ${text}`);
  return `<said>\n${cut(own.join("\n\n"), MATERIAL_CHARACTERS)}\n</said>\n\n<sentences>\n${sentences.join("\n")}\n</sentences>`;
}

/** What can be believed of an answer; signals it says nothing fit about are in neither list. */
export function parseAnswer(text: string, signals: readonly Signal[]): Answer {
  const worded = new Map<number, Worded>();
  const ignored = new Set<number>();
  const faults: string[] = [];
  const value = parseObject(text);
  if (!value || !Array.isArray(value.memories))
    return { worded, ignored, faults: ["it is no JSON object with a list of memories"] };
  for (const entry of value.memories.slice(0, 2 * signals.length)) {
    const place = readPlace(isRecord(entry) ? entry.from : undefined, signals);
    const signal = place === undefined ? undefined : signals[place];
    if (!signal || place === undefined || !isRecord(entry) || worded.has(place)) {
      faults.push("a memory is of no sentence, or of one that has a memory");
      continue;
    }
    const read = readWorded(entry, signal);
    if ("fault" in read) faults.push(`${place + 1}: ${read.fault}`);
    else worded.set(place, read);
  }
  for (const entry of Array.isArray(value.ignore) ? value.ignore : []) {
    const place = readPlace(entry, signals);
    const mayBeIgnored = place !== undefined && !worded.has(place) && !signals[place]?.isExplicit;
    if (mayBeIgnored) ignored.add(place);
  }
  return { worded, ignored, faults };
}

/** A model that writes more than this writes no list of a few memories; to read it would hold the host up. */
const LONGEST_ANSWER = 200_000;

function parseObject(text: string): Record<string, unknown> | undefined {
  if (text.length > LONGEST_ANSWER) return undefined;
  const bare = text.trim().replace(/^```(?:json)?\s*\n([\s\S]*)\n```$/, "$1");
  const value = parseJson(bare);
  return isRecord(value) ? value : undefined;
}

function readPlace(from: unknown, signals: readonly Signal[]): number | undefined {
  const isPlace = Number.isInteger(from) && Number(from) >= 1 && Number(from) <= signals.length;
  return isPlace ? Number(from) - 1 : undefined;
}

function readWorded(entry: Record<string, unknown>, signal: Signal): Worded | { fault: string } {
  const { content, evidence, title, type } = entry;
  const aliases = readWords(entry.aliases);
  const when = readWords(entry.when);
  if (!isLine(title, LONGEST_TITLE) || !isLine(content, LONGEST_CONTENT))
    return { fault: "title or content is missing, too long or of several lines" };
  if (!memoryTypes.includes(type as MemoryType)) return { fault: "the type is none" };
  if (usersTypes.has(type as MemoryType) && !usersTypes.has(signal.type))
    return { fault: `a ${signal.type} is made a ${type}` };
  if (!aliases || !when) return { fault: "aliases or when are no short words" };
  if (typeof evidence !== "string" || !isQuoteOf(evidence, signal.text))
    return { fault: "the evidence does not stand in the sentence" };
  const added = findUnsaid(`${title} ${content}`, signal.text);
  if (added !== undefined) return { fault: `"${added}" was not said` };
  return { type: type as MemoryType, title: title.trim(), content: content.trim(), aliases, when, evidence };
}

function isLine(value: unknown, most: number): value is string {
  return (
    typeof value === "string" &&
    value.trim() !== "" &&
    value.length <= most &&
    !/[\p{Cc}\u2028\u2029]/u.test(value)
  );
}

/** `undefined` when it is anything but a short list of short words; one that is missing is empty. */
function readWords(value: unknown): string[] | undefined {
  if (value === undefined) return [];
  if (!Array.isArray(value) || value.length > MOST_WORDS) return undefined;
  return value.every((word) => isLine(word, LONGEST_WORD)) ? value : undefined;
}

/** Does it stand there letter by letter, but for space? */
function isQuoteOf(quoted: string, text: string): boolean {
  const plain = (one: string): string => one.replace(/\s+/g, " ").trim();
  return plain(quoted).length >= SHORTEST_EVIDENCE && plain(text).includes(plain(quoted));
}

/** So many of the words must come from the sentence; the others join them. */
const LEAST_SAID = 0.4;
const LEAST_LETTERS = 4;

/** What a wording has that the sentence has not: a name, number, path or address, an order, or nearly everything. */
function findUnsaid(wording: string, said: string): string | undefined {
  const takesOver = TAKES_OVER.exec(wording)?.[0];
  if (takesOver !== undefined && !said.includes(takesOver)) return takesOver;
  const lower = said.toLowerCase();
  const special = (wording.match(/[^\s"'`()（）,，;；。]*[\d/\\@:_#$=<>|][^\s"'`()（）,，;；。]*/g) ?? [])
    .map((word) => word.replace(/[.:!?]+$/, ""))
    .find((word) => /[\w\d]/.test(word) && !lower.includes(word.toLowerCase()));
  if (special !== undefined) return special;
  const words = findWords(wording);
  const known = words.filter((word) => lower.includes(word));
  return words.length > 0 && known.length / words.length < LEAST_SAID ? cut(wording, 60) : undefined;
}

/** Stems, and pairs of characters where there is no space between words. */
function findWords(text: string): string[] {
  const words = text.toLowerCase().match(/\p{Script=Han}{2}|[\p{L}\p{N}]{4,}/gu) ?? [];
  return words.map((word) =>
    /\p{Script=Han}/u.test(word) ? word : word.slice(0, Math.max(LEAST_LETTERS, word.length - 3)),
  );
}
