/** What stands in the context of a request: its results, inputs of calls, turns, cut and summaries, and what is known of them. */

import { sep } from "node:path";
import { formatCount } from "../../../src/base/format.js";
import { findLongInput, findSuperseded, isClearable } from "../../../src/context/clear-input.js";
import { CHARACTERS_PER_TOKEN, countCharacters, measureCached } from "../../../src/context/context-size.js";
import { type Find, type KnownDecision, readInputKey } from "../../../src/context/replay.js";
import type { ContextRequest } from "../../../src/context/request.js";
import { findCutPath } from "../../../src/context/result-files.js";
import { isSummary, isToolPart, type Message } from "../../../src/io/message.js";
import type { KernelContext } from "../../../src/kernel/layer-context.js";
import { formatInput, hashText, readOwnTexts } from "../../../src/messages/call.js";
import type { DecisionKey, Result } from "../../../src/messages/history.js";
import type { ContextItem } from "../../../src/status/context-items.js";
import { toSafeLine } from "../../../src/text/secrets/secrets.js";

interface Placed {
  id: string;
  key: DecisionKey;
  /** Index of its first message in the history. */
  index: number;
}

export interface CallEntry extends Placed {
  kind: "result" | "input";
  result: Result;
}

/** The agent's answers to one message of the user. */
export interface TurnEntry extends Placed {
  kind: "turn";
  /** Index of the message behind the last answer. */
  end: number;
  isOver: boolean;
  results: readonly Result[];
}

/** Notes that replace the messages before `index`. */
export interface CutEntry extends Placed {
  kind: "cut";
  cut: KnownDecision;
}

interface SummaryEntry extends Placed {
  kind: "summary";
}

export type Entry = CallEntry | TurnEntry | CutEntry | SummaryEntry;

/** What is known of a request, gathered once for all the entries in it. */
export type ContextView = Awaited<ReturnType<ReturnType<typeof createReadView>>>;

/** Number of names of entries that are remembered; they never change. */
const MOST_KNOWN = 2_000;
const NAME_CHARACTERS = 80;

export function createReadView({ config, decisions, files, folders, sizes }: KernelContext) {
  /** By id: leaving keys and passwords out of a name takes a millisecond. */
  const names = new Map<string, string>();
  const bytes = new Map<string, number>();

  /** `cachedUntil` is the index of the first message that the provider has not cached yet. */
  return async (request: ContextRequest, cachedUntil: number) => {
    const { history, model, sessionID } = request;
    const entries = findEntries(request);
    const pinned = decisions.pinned(sessionID);
    await readBytes([...pinned.map(({ file }) => file), ...entries.map((one) => findLongFile(one, request))]);
    const messages = request.show();
    const tokensPerCharacter = sizes.tokensPerCharacter(sessionID);
    const measure = (some: readonly Message[]) => Math.ceil(countCharacters(some) * tokensPerCharacter);
    const place = { view: messages, count: history.messages.length, lastAnswer: cachedUntil, model };
    const countTokens = (size = 0): number => Math.ceil(size / CHARACTERS_PER_TOKEN);
    const keys = new Set(entries.map(({ key }) => key.key));
    const superseded = findSuperseded(history.messages.slice(request.shownFrom()));
    const tokens = request.estimateTokens(messages);
    return {
      ...{ request, entries, messages, tokensPerCharacter, superseded },
      /** What is pinned and no longer among the messages that are sent. */
      pinnedBefore: pinned.filter(({ file, key }) => file !== undefined && !keys.has(key)),
      pinnedTokens: pinned.reduce((sum, { file = "" }) => sum + countTokens(bytes.get(file)), 0),
      ...{ tokens, rates: request.rates(tokens) },
      cachedFrom: measureCached(place, measure),
      ...countUp(history.messages),
      bytesOf: (file: string) => bytes.get(file),
      describe: (entry: Entry) => describe(entry, history.messages, superseded),
      isClearable: (tool: string) => isClearable(tool, config.microCompact.tools),
    };
  };

  /** A file that is there keeps its size: its name is made of what it holds. */
  async function readBytes(paths: readonly (string | undefined)[]): Promise<void> {
    for (const path of new Set(paths)) {
      const stat = path === undefined || bytes.has(path) ? undefined : await files.stat(path);
      if (path !== undefined && stat) bytes.set(path, stat.bytes);
    }
  }

  function describe(
    entry: Entry,
    messages: readonly Message[],
    superseded: ReturnType<typeof findSuperseded>,
  ): Pick<ContextItem, "name" | "superseded" | "tool"> {
    if (entry.kind === "cut") return { name: `the first ${formatCount(entry.index)} messages` };
    if (entry.kind === "summary") return { name: "what came before it" };
    if (entry.kind === "turn") {
      const words = nameOnce(entry.id, () => toSafeLine(findWords(messages, entry.index), NAME_CHARACTERS));
      return { name: words === "" ? formatTools(messages.slice(entry.index, entry.end)) : words };
    }
    const { part } = entry.result;
    const why = entry.kind === "result" ? superseded.get(part) : undefined;
    const name = () => formatInput(part, NAME_CHARACTERS).replaceAll(folders.project + sep, "");
    return { tool: part.tool, name: nameOnce(entry.id, name), ...(why !== undefined && { superseded: why }) };
  }

  function nameOnce(id: string, read: () => string): string {
    const name = names.get(id) ?? read();
    if (names.size > MOST_KNOWN) names.clear();
    names.set(id, name);
    return name;
  }
}

function findEntries({ find, history, shownFrom }: ContextRequest): Entry[] {
  const { messages } = history;
  const from = shownFrom();
  const entries: Entry[] = [];
  const cutKey = from > 0 ? history.keyOf(from) : undefined;
  const cut = cutKey && find(cutKey.key)?.cut;
  if (cutKey && cut) entries.push({ kind: "cut", id: planID("cut", cutKey), key: cutKey, index: from, cut });
  const results = history.results(from);
  let next = 0;
  for (let index = from, end = from; index < messages.length; index = end) {
    end = findEnd(messages, index);
    const first = next;
    while ((results[next]?.index ?? Number.POSITIVE_INFINITY) < end) next++;
    const message = messages[index];
    const key = history.keyOf(index);
    if (!message || !key || message.info.role === "user") continue;
    if (isSummary(message)) {
      entries.push({ kind: "summary", id: planID("summary", key), key, index });
      continue;
    }
    const ofTurn = results.slice(first, next);
    const isOver = end < messages.length;
    entries.push({ kind: "turn", id: planID("turn", key), key, index, end, isOver, results: ofTurn });
    if (!find(key.key)?.dropped) entries.push(...ofTurn.flatMap((result) => findOfCall(result, find)));
  }
  return entries;
}

/** Index behind a run of answers; a user's message and a summary stand alone. */
function findEnd(messages: readonly Message[], from: number): number {
  const isAlone = (message: Message | undefined): boolean =>
    !message || message.info.role === "user" || isSummary(message);
  let end = from + 1;
  if (!isAlone(messages[from])) while (!isAlone(messages[end])) end++;
  return end;
}

function findOfCall(result: Result, find: Find): CallEntry[] {
  const { day, index, key } = result;
  const input = readInputKey(result);
  const hasInput = findLongInput(result.part) !== undefined || find(input.key)?.cleared !== undefined;
  return [
    { kind: "result", id: planID("result", result), key: { day, key }, index, result },
    ...(hasInput ? [{ kind: "input", id: planID("input", input), key: input, index, result } as const] : []),
  ];
}

export const LETTERS = { result: "r", input: "i", turn: "t", cut: "c", summary: "s" } as const;
const ID_CHARACTERS = 7;

/** Made from the key, which a fork and a restart keep. */
function planID(kind: Entry["kind"], { key }: DecisionKey): string {
  const letters = hashText(`${kind} ${key}`)
    .toLowerCase()
    .replace(/[^0-9a-z]/g, "");
  return `${LETTERS[kind]}-${letters.slice(0, ID_CHARACTERS)}`;
}

/** The file of a result that the host has cut: only that is longer than what the host has. */
function findLongFile(entry: Entry, { find }: ContextRequest): string | undefined {
  if (entry.kind !== "result" || findCutPath(entry.result.part, entry.result.text) === undefined)
    return undefined;
  const recorded = find(entry.key.key);
  return (recorded?.cleared ?? recorded?.judged)?.file;
}

/** By message: the number of answers up to it, and the user's message it belongs to, from 1. */
function countUp(messages: readonly Message[]) {
  let answer = 0;
  let turn = 0;
  const turns: number[] = [];
  const answers = messages.map(({ info, parts }) => {
    if (info.role === "user" && readOwnTexts(parts).length > 0) turn++;
    if (info.role === "assistant" && info.summary !== true) answer++;
    turns.push(turn);
    return answer;
  });
  return { answers, turns };
}

function findWords(messages: readonly Message[], index: number): string {
  for (let at = index; at >= 0; at--) {
    const message = messages[at];
    const words = message?.info.role === "user" ? readOwnTexts(message.parts).join(" ") : "";
    if (words !== "") return words;
  }
  return "";
}

/** Tools that the messages call, with how often: "read ×3, bash". */
export function formatTools(messages: readonly Message[]): string {
  const counts = new Map<string, number>();
  for (const { parts } of messages)
    for (const part of parts) if (isToolPart(part)) counts.set(part.tool, (counts.get(part.tool) ?? 0) + 1);
  return [...counts].map(([tool, count]) => (count === 1 ? tool : `${tool} ×${count}`)).join(", ");
}
