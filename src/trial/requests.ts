/**
 * Requests as an OpenAI-compatible provider gets them, how many of their bytes its prompt cache holds, and the host's own
 * summary, as OpenCode 1.18.33 makes it: when an answer fills the window, it sends the history as one text, with results
 * cut to 2,000 characters, and goes on with the summary and the newest messages.
 */

import { isToolPart, type Message, readResultText } from "../io/message.js";
import { textIn } from "./look-ups.js";

export interface SentMessage {
  role: string;
  content?: string | { type: string; text?: string }[] | null;
  tool_calls?: { id: string; type: string; function: { name: string; arguments: string } }[];
  tool_call_id?: string;
}

export interface SentTool {
  type: string;
  function: { name: string; description?: string; parameters?: unknown };
}

/**
 * Bytes of a request that count as one token. Anthropic's glossary gives 3.5 characters of English; with OpenAI's
 * o200k_base recorded sessions take 4.2 to 4.8.
 */
export const BYTES_PER_TOKEN = 3.5;

export const tokensOfBytes = (bytes: number, bytesPerToken = BYTES_PER_TOKEN): number =>
  Math.ceil(bytes / bytesPerToken);

export function toSent(messages: readonly Message[]): SentMessage[] {
  return messages.flatMap((message) =>
    message.info.role === "user" ? userToSent(message) : answerToSent(message),
  );
}

function userToSent({ parts }: Message): SentMessage[] {
  const texts = parts.flatMap(({ ignored, text }) => (text === undefined || ignored ? [] : text));
  if (texts.length === 0) return [];
  const content = texts.length === 1 ? (texts[0] ?? "") : texts.map((text) => ({ type: "text", text }));
  return [{ role: "user", content }];
}

function answerToSent({ parts }: Message): SentMessage[] {
  const content = parts.map((part) => (part.type === "text" ? (part.text ?? "") : "")).join("");
  const ended = parts.filter(isToolPart);
  if (content === "" && ended.length === 0) return [];
  const calls = ended.map(({ callID, tool, state }) => ({
    id: callID,
    type: "function",
    function: { name: tool, arguments: JSON.stringify(state.input ?? {}) },
  }));
  const results = ended.map((part) => ({
    role: "tool",
    tool_call_id: part.callID,
    content: readResultText(part) ?? "",
  }));
  return [{ role: "assistant", content, ...(calls.length > 0 ? { tool_calls: calls } : {}) }, ...results];
}

/** All text of a message, with the arguments of its calls. */
export function readSent({ content, tool_calls = [] }: SentMessage): string {
  const own =
    typeof content === "string" ? content : (content ?? []).map((part) => part.text ?? "").join("\n");
  return [own, ...tool_calls.map((call) => textIn(JSON.parse(call.function.arguments)))].join("\n");
}

/*
 * A provider's prompt cache: it remembers recent prompts, matches prefixes byte for byte, and forgets entries unused for
 * their lifetime. Reading refreshes only the shared prefix; the rest of the entry keeps its age. (Providers do the same.
 * Refreshing the whole entry would favour forks, whose reads would keep the parent's tail warm.)
 */

/** Reading does not store the prompt; write it as well. */
export type PromptCache = ReturnType<typeof createPromptCache>;

export interface PromptCacheOptions {
  /** Milliseconds an unused entry lives; by default 5 minutes, as at Anthropic without a longer setting. */
  lifetimeMs?: number;
  now: () => number;
}

type Entry = { bytes: Buffer; usedAt: number };

const FIVE_MINUTES_MS = 5 * 60_000;
const MOST_ENTRIES = 400;

export function createPromptCache({ lifetimeMs = FIVE_MINUTES_MS, now }: PromptCacheOptions) {
  let entries: Entry[] = [];

  function remember(bytes: Buffer): void {
    const others = entries.filter((entry) => !startsWith(bytes, entry.bytes));
    entries = [...others.slice(-(MOST_ENTRIES - 1)), { bytes, usedAt: now() }];
  }

  return {
    /** Bytes of the longest prefix that `prompt` shares with a live entry; refreshes that prefix. */
    read(prompt: string): number {
      const oldest = now() - lifetimeMs;
      entries = entries.filter((entry) => entry.usedAt > oldest);
      const bytes = Buffer.from(prompt);
      const shared = entries.reduce((best, entry) => longerPrefix(bytes, entry.bytes, best), 0);
      if (shared > 0) remember(bytes.subarray(0, shared));
      return shared;
    },
    /** Stores the whole prompt and drops entries that are a prefix of it. */
    write(prompt: string): void {
      remember(Buffer.from(prompt));
    },
  };
}

/**
 * Length of the shared prefix if it is longer than `best`, else `best`, which is cheap to find out. Over all entries each
 * byte of the prompt is looked at once.
 */
function longerPrefix(prompt: Buffer, entry: Buffer, best: number): number {
  const limit = Math.min(prompt.length, entry.length);
  if (limit <= best || prompt[best] !== entry[best] || !isSame(prompt, entry, 0, best)) return best;
  let same = best;
  while (same < limit && prompt[same] === entry[same]) same++;
  return same;
}

function startsWith(bytes: Buffer, prefix: Buffer): boolean {
  const { length } = prefix;
  // Compares the end first: diverging prompts differ there, which saves comparing their shared part.
  const end = Math.max(0, length - 64);
  return length <= bytes.length && isSame(bytes, prefix, end, length) && isSame(bytes, prefix, 0, end);
}

const isSame = (a: Buffer, b: Buffer, from: number, to: number): boolean =>
  a.compare(b, from, to, from, to) === 0;

/* The host's own summary. */

const RESULT_CHARACTERS = 2_000;
/** The newest messages that stay: a quarter of the usable window, within these bounds. */
const TAIL_TOKENS = { share: 0.25, least: 2_000, most: 15_000 };
/** The host estimates tokens as four characters. */
const CHARACTERS_PER_TOKEN = 4;
/** Size of the host's instruction in a summary request. */
const INSTRUCTION_CHARACTERS = 1_700;

export const BEFORE_SUMMARY = "What did we do so far?";
export const AFTER_SUMMARY =
  "Continue if you have next steps, or stop and ask for clarification if you are unsure how to proceed.";

/** Index of the first message that stays. `messages` are those since the last summary, it and its question included. */
export function findTail(messages: readonly Message[], usableTokens: number): number {
  const share = Math.floor(usableTokens * TAIL_TOKENS.share);
  const budget = Math.min(TAIL_TOKENS.most, Math.max(TAIL_TOKENS.least, share));
  const turns = messages.flatMap(({ info, parts }, index) =>
    info.role === "user" && parts[0]?.text !== BEFORE_SUMMARY ? [index] : [],
  );
  let first = messages.length;
  let taken = 0;
  for (const turn of turns.reverse()) {
    const tokens = estimate(messages.slice(turn, first));
    if (taken + tokens > budget) return splitTurn(messages, { turn, first, budget: budget - taken });
    taken += tokens;
    first = turn;
  }
  return first;
}

/** The longest end of a turn that fits; a turn is split before an answer. */
function splitTurn(
  messages: readonly Message[],
  { turn, first, budget }: { turn: number; first: number; budget: number },
): number {
  for (let index = turn + 1; index < first; index++)
    if (estimate(messages.slice(index, first)) <= budget) return index;
  return first;
}

const estimate = (messages: readonly Message[]): number =>
  Math.round(JSON.stringify(toSent(messages)).length / CHARACTERS_PER_TOKEN);

export function toSummaryRequest(messages: readonly Message[]): SentMessage[] {
  const conversation = messages.map(formatMessage).filter(Boolean).join("\n\n");
  const instruction = "x".repeat(INSTRUCTION_CHARACTERS);
  const content = `Here is the conversation so far:\n\n<conversation>\n${conversation}\n</conversation>\n${instruction}`;
  return [
    { role: "system", content: "You are a context summarization agent.".padEnd(630) },
    { role: "user", content },
  ];
}

function formatMessage({ info, parts }: Message): string {
  const lines = parts.flatMap((part) => {
    if (isToolPart(part)) {
      const result = (readResultText(part) ?? "").slice(0, RESULT_CHARACTERS);
      const call = `${part.tool}(${JSON.stringify(part.state.input ?? {})})`;
      return [`[Assistant tool call]: ${call}`, `[Tool result]: ${result}`];
    }
    const isSaid = part.type === "text" && part.text;
    return isSaid ? [`[${info.role === "user" ? "User" : "Assistant"}]: ${part.text}`] : [];
  });
  return lines.join("\n");
}

/** What a summary is made from, oldest first. */
export interface Talk {
  /** Of the user. */
  asked: readonly string[];
  /** By the agent. */
  said: readonly string[];
  /** Of files that it used. */
  paths: readonly string[];
}

/** What is written when the host asks for a summary: about 1,000 tokens. */
export function writeSummary({ asked, paths, said }: Talk): string {
  const shortened = said.filter(Boolean).map((text) => text.replaceAll("\n", " ").slice(0, 300));
  const section = (title: string, lines: readonly string[]): string =>
    [`## ${title}`, ...lines.map((line) => `- ${line}`)].join("\n");
  const objective = asked.slice(-4).map((text) => text.slice(0, 400));
  return [
    section("Objective", objective),
    section("Discoveries", shortened.slice(-12)),
    section("Accomplished", shortened.slice(-4)),
    section("Relevant files", [...new Set(paths)].slice(-30)),
  ].join("\n\n");
}
