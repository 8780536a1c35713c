/**
 * What a judge is given, and what of its answer is believed. Pure.
 *
 *     candidates, work, memories → numbered material below `prompts/memory-judge.md` → JSON list → verdicts
 *
 * It is given only what the user wrote and a line about each turn, so that no tool and no page can speak through it. An
 * entry that does not fit is dropped with its fault, and the rest still counts.
 */
import { isRecord, parseJson } from "../../../src/base/shape.js";
import { toLine } from "../../../src/base/text.js";
import type { SaidStatement } from "../../../src/memory/candidates/candidate.js";
import { type MemoryType, memoryTypes } from "../../../src/memory/memory.js";

export interface JudgedMessage {
  statements: readonly SaidStatement[];
  /** What the agent had asked or done before, in a line. */
  context?: string;
  sessions?: number;
}

export interface Batch {
  messages: readonly JudgedMessage[];
  work: readonly string[];
  memories: readonly { type: MemoryType; title: string }[];
}

export interface Verdict {
  /** Place of the message or of the thing that the work showed, from 0; and of the quoted statements. */
  of: { kind: "message"; at: number; from: number; to: number } | { kind: "work"; at: number };
  type: MemoryType;
  isGlobal: boolean;
  /** Otherwise the user decides. */
  isSure: boolean;
  says: string;
  why: string;
  /** Place of the memory that it replaces. */
  replaces?: number;
}

export interface Answer {
  verdicts: readonly Verdict[];
  /** What was not believed, and why; for the log. */
  faults: readonly string[];
  /** Places of messages about which something was not believed. */
  unusable: ReadonlySet<number>;
}

/** A longer message is a document; what a person would remember of it stands at its beginning. */
const MESSAGE_CHARACTERS = 12_000;
const LONGEST_LINE = 600;
const LONGEST_CONTEXT = 240;

/**
 * Of a hundred careful colleagues, as the prompt asks, so many keep it; a rule needs fewer, because it is the user's own
 * sentence. Of 50 to 62, this is where the stand-ins of docs/memory.md keep little that is not worth it and find most. What
 * the prompt asks before it, where else one would find it ("found"), is for the judge to weigh; nothing reads it.
 */
const LEAST_SURE = 57;
const LEAST_SURE_OF_RULE = 50;

const MOST_MESSAGES = 20;
const MOST_CHARACTERS = 24_000;

/** What is judged in one question: so much that the task costs little, so little that each is read well. In their order. */
export function planBatches<T extends { statements: readonly { text: string }[] }>(all: readonly T[]): T[][] {
  const batches: T[][] = [];
  let characters = 0;
  for (const one of all) {
    const length = one.statements.reduce((sum, { text }) => sum + text.length, 0);
    const last = batches.at(-1);
    if (last && last.length < MOST_MESSAGES && characters + length <= MOST_CHARACTERS) last.push(one);
    else {
      batches.push([one]);
      characters = 0;
    }
    characters += length;
  }
  return batches;
}

export function formatBatch({ memories, messages, work }: Batch): string {
  const said = messages.map(({ context, sessions = 1, statements }, at) => {
    const notes = [
      ...(context === undefined ? [] : [toLine(context, LONGEST_CONTEXT)]),
      ...(sessions > 1 ? [`said in ${sessions} sessions`] : []),
    ];
    const lines: string[] = [];
    let left = MESSAGE_CHARACTERS;
    for (const [index, { heading, text }] of statements.entries()) {
      left -= text.length;
      if (left < 0) break;
      // A heading is said once, above what it announces.
      if (heading !== undefined && heading !== statements[index - 1]?.heading)
        lines.push(toLine(heading, LONGEST_LINE));
      lines.push(`m${at + 1}.${index + 1} ${toLine(text, LONGEST_LINE)}`);
    }
    return [`m${at + 1}${notes.length > 0 ? ` (${notes.join("; ")})` : ""}`, ...lines].join("\n");
  });
  const parts = {
    messages: said.join("\n\n"),
    work: work.map((line, at) => `w${at + 1} ${line}`).join("\n"),
    remembered: memories.map(({ title, type }, at) => `k${at + 1} (${type}) ${title}`).join("\n"),
  };
  const shown = Object.entries(parts).filter(([, text]) => text !== "");
  return shown.map(([name, text]) => `<${name}>\n${text}\n</${name}>`).join("\n\n");
}

/** A longer text is no list of a few verdicts, and reading it would block the host. */
const LONGEST_ANSWER = 200_000;
const LONGEST_SAYING = 500;
const LONGEST_REASON = 120;
export const MOST_QUOTED = 30;

/** What can be believed of an answer; `undefined` if it is not an answer to the task at all. */
export function parseAnswer(text: string, batch: Batch): Answer | undefined {
  const list = parseList(text);
  if (!list) return undefined;
  const verdicts: Verdict[] = [];
  const faults: string[] = [];
  const unusable = new Set<number>();
  const most = 3 * (batch.messages.length + batch.work.length);
  for (const [index, entry] of list.slice(0, most).entries()) {
    const read = readVerdict(entry, batch);
    if (typeof read === "string") {
      faults.push(`entry ${index + 1}: ${read}`);
      const [, message] = (isRecord(entry) && /^\s*m(\d{1,3})\b/.exec(String(entry.quote))) || [];
      if (message !== undefined) unusable.add(Number(message) - 1);
    } else if (read) verdicts.push(read);
  }
  return { verdicts, faults, unusable };
}

/** The list, in a fence or behind a word or two as well; a list inside of something else is not it. */
function parseList(text: string): unknown[] | undefined {
  const from = text.search(/[[{]/);
  if (text.length > LONGEST_ANSWER || text[from] !== "[") return undefined;
  const value = parseJson(text.slice(from, text.lastIndexOf("]") + 1));
  return Array.isArray(value) ? value : undefined;
}

/** The fault as text; `undefined` for one that is explicitly not kept. */
function readVerdict(entry: unknown, batch: Batch): Verdict | string | undefined {
  if (!isRecord(entry)) return "it is not an object";
  if (entry.keep === false) return undefined;
  const of = readPlace(entry.quote, batch);
  if (!of) return "its quote is none of the numbers";
  const type = memoryTypes.find((one) => one === entry.type);
  if (!type) return "its type is unknown";
  const { says, why } = entry;
  if (typeof says !== "string" || says.trim() === "" || says.length > LONGEST_SAYING)
    return `it does not say anything in one sentence of at most ${LONGEST_SAYING} characters`;
  const replaces = readReplaced(entry.replaces, batch);
  return {
    ...{ of, type, isGlobal: entry.scope === "global", isSure: isSure(type, entry.sure) },
    says: toLine(says, LONGEST_SAYING),
    why: typeof why === "string" ? toLine(why, LONGEST_REASON) : "",
    ...(replaces !== undefined && { replaces }),
  };
}

/** The number that was asked for; a model may say yes or no, or forget it. */
function isSure(type: MemoryType, sure: unknown): boolean {
  if (sure === undefined || typeof sure === "boolean") return sure ?? true;
  return Number(sure) >= (type === "directive" ? LEAST_SURE_OF_RULE : LEAST_SURE);
}

const QUOTE = /^m(\d{1,3})(?:\.(\d{1,3})(?:\s*[-–]\s*(?:m\d{1,3}\.)?(\d{1,3}))?)?$/;

function readPlace(quote: unknown, { messages, work }: Batch): Verdict["of"] | undefined {
  const name = String(quote ?? "").trim();
  const [, worked] = /^w(\d{1,3})$/.exec(name) ?? [];
  if (worked !== undefined) {
    const at = Number(worked) - 1;
    return at >= 0 && at < work.length ? { kind: "work", at } : undefined;
  }
  const [, message, first = "1", last] = QUOTE.exec(name) ?? [];
  const at = Number(message) - 1;
  const count = messages[at]?.statements.length ?? 0;
  // "m2" is all of a message that has one sentence.
  if (message !== undefined && !name.includes(".") && count > 1) return undefined;
  const [from, to] = [Number(first) - 1, Number(last ?? first) - 1];
  const isRun = from >= 0 && from <= to && to < count && to - from < MOST_QUOTED;
  return isRun ? { kind: "message", at, from, to } : undefined;
}

function readReplaced(value: unknown, { memories }: Batch): number | undefined {
  const [, place] = /^k(\d{1,3})$/.exec(String(value ?? "")) ?? [];
  const at = Number(place) - 1;
  return at >= 0 && at < memories.length ? at : undefined;
}
