import { formatError } from "../../../src/base/error.js";
import { formatCount } from "../../../src/base/format.js";
import { findLongInput, findSuperseded, type Supersession } from "../../../src/context/clear-input.js";
import { countCharacters, measureCached } from "../../../src/context/context-size.js";
import {
  type Find,
  findCut,
  formatWholeInput,
  type KnownDecision,
  readInputKey,
  replay,
} from "../../../src/context/replay.js";
import type { ContextRequest } from "../../../src/context/request.js";
import type { Rates } from "../../../src/costs/savings.js";
import { isToolPart, type Message, type Part, type ToolPart } from "../../../src/io/message.js";
import type { KernelContext } from "../../../src/kernel/layer-context.js";
import { readOwnTexts } from "../../../src/messages/call.js";
import { type DecisionKey, type History, isSummary, type Result } from "../../../src/messages/history.js";
import { hashText } from "../../../src/messages/outcome.js";

interface Placed {
  id: string;
  /** Key of the decisions about it. */
  key: DecisionKey;
  /** Index of its first message in the history. */
  index: number;
}

export interface ResultEntry extends Placed {
  kind: "result";
  result: Result;
}

export interface InputEntry extends Placed {
  kind: "input";
  result: Result;
}

/** The agent's answers to one message of the user. */
export interface TurnEntry extends Placed {
  kind: "turn";
  /** Index of the message behind the last answer. */
  end: number;
  /** Has the user's next message come? */
  isOver: boolean;
  /** Of its calls. */
  results: readonly Result[];
}

/** Notes that replace the messages before `index`. */
export interface CutEntry extends Placed {
  kind: "cut";
  cut: KnownDecision;
}

export interface SummaryEntry extends Placed {
  kind: "summary";
}

export type Entry = ResultEntry | InputEntry | TurnEntry | CutEntry | SummaryEntry;

export interface Seen {
  find: Find;
  history: History;
  shownFrom(): number;
}

/** In the order of the context. */
export function findEntries(seen: Seen): Entry[] {
  const { history, shownFrom } = seen;
  const from = shownFrom();
  const entries: Entry[] = [];
  const cut = findCutEntry(seen, from);
  if (cut) entries.push(cut);
  const results = history.results(from);
  let next = 0;
  for (const found of findTurns(seen, from)) {
    if (found.kind === "summary") {
      entries.push(found);
      continue;
    }
    const first = next;
    while ((results[next]?.index ?? Number.POSITIVE_INFINITY) < found.end) next++;
    const turn = { ...found, results: results.slice(first, next) };
    entries.push(turn);
    if (seen.find(turn.key.key)?.dropped) continue;
    for (const result of turn.results) entries.push(...findOfCall(seen, result));
  }
  return entries;
}

function findCutEntry({ find, history }: Seen, index: number): CutEntry | undefined {
  const key = index > 0 ? history.keyOf(index) : undefined;
  const cut = key && find(key.key)?.cut;
  return key && cut ? { kind: "cut", id: planID("cut", key), key, index, cut } : undefined;
}

/** Runs of answers, and summaries by the host. */
function findTurns({ history }: Seen, from: number): (Omit<TurnEntry, "results"> | SummaryEntry)[] {
  const { messages } = history;
  const found: (Omit<TurnEntry, "results"> | SummaryEntry)[] = [];
  for (let index = from; index < messages.length; ) {
    const message = messages[index];
    const key = history.keyOf(index);
    const end = message?.info.role === "user" ? index + 1 : findEnd(messages, index);
    if (message && key && isSummary(message))
      found.push({ kind: "summary", id: planID("summary", key), key, index });
    else if (message && key && message.info.role === "assistant")
      found.push({ kind: "turn", id: planID("turn", key), key, index, end, isOver: end < messages.length });
    index = end;
  }
  return found;
}

/** A summary stands alone. */
function findEnd(messages: readonly Message[], from: number): number {
  const first = messages[from];
  if (first && isSummary(first)) return from + 1;
  let end = from + 1;
  for (; end < messages.length; end++) {
    const message = messages[end];
    if (!message || message.info.role === "user" || isSummary(message)) break;
  }
  return end;
}

function findOfCall({ find }: Seen, result: Result): Entry[] {
  const { day, index, key } = result;
  const input = readInputKey(result);
  const hasInput = findLongInput(result.part) !== undefined || find(input.key)?.cleared !== undefined;
  return [
    { kind: "result", id: planID("result", result), key: { day, key }, index, result },
    ...(hasInput ? [{ kind: "input", id: planID("input", input), key: input, index, result } as const] : []),
  ];
}

const LETTERS = { result: "r", input: "i", turn: "t", cut: "c", summary: "s" } as const;
const ID_CHARACTERS = 7;

/** Made from the key, which a fork and a restart keep. */
function planID(kind: Entry["kind"], { key }: DecisionKey): string {
  const letters = hashText(`${kind} ${key}`)
    .toLowerCase()
    .replace(/[^0-9a-z]/g, "");
  return `${LETTERS[kind]}-${letters.slice(0, ID_CHARACTERS)}`;
}

/** Which kind of entry has such an id. */
export function readKind(id: string): Entry["kind"] {
  const found = Object.entries(LETTERS).find(([, letter]) => id.startsWith(`${letter}-`));
  return (found?.[0] ?? "result") as Entry["kind"];
}

/** For each message, the number of the user's message that it belongs to, from 1; 0 before the first. */
export function countTurns(messages: readonly Message[]): number[] {
  let turn = 0;
  return messages.map(({ info, parts }) => {
    if (info.role === "user" && readOwnTexts(parts).length > 0) turn++;
    return turn;
  });
}

/** The last words of the user before this message. */
export function findWords(messages: readonly Message[], index: number): string {
  for (let at = index; at >= 0; at--) {
    const message = messages[at];
    if (message?.info.role !== "user") continue;
    const words = readOwnTexts(message.parts).join(" ");
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

/* What is known of a request, gathered once for all the entries in it. */

export interface Surroundings {
  seen: Seen;
  view: readonly Message[];
  /** Tokens of the whole request, and those at which history is replaced. */
  tokens: number;
  budgetTokens: number;
  tokensPerCharacter: number;
  /** Tokens cached from this message on. */
  cachedFrom(index: number): number;
  rates: Rates;
  /** By message: the user's message it belongs to. */
  turns: readonly number[];
  /** Number of answers behind a message. */
  answersSince(index: number): number;
  superseded: ReadonlyMap<ToolPart, Supersession>;
  /** Other tools whose results may be cleared, as set. */
  namedTools: Readonly<Record<string, boolean>>;
  /** Folder that names of files leave out. */
  project: string;
  /** Returns the name of the entry with this id, from an earlier request if it is known. */
  nameOnce(id: string, read: () => string): string;
  /** Tokens of everything that is pinned. */
  pinnedTokens: number;
  /** Size of a file with a whole result, if it is known. */
  bytesOf(file: string): number | undefined;
  /** Messages as they would be sent without the cut. */
  showUncut(cut: CutEntry): readonly Message[];
}

export interface GatherOptions {
  /** Index of the first message that the provider has not cached yet. */
  cachedUntil: number;
  pinnedTokens: number;
  bytesOf(file: string): number | undefined;
  nameOnce: Surroundings["nameOnce"];
}

export function gatherSurroundings(
  { config, folders, sizes }: Pick<KernelContext, "config" | "folders" | "sizes">,
  request: ContextRequest,
  { cachedUntil, ...known }: GatherOptions,
): Surroundings {
  const { budgetTokens, find, history, model, sessionID, shownFrom } = request;
  const { messages } = history;
  const view = request.show();
  const tokens = request.estimateTokens(view);
  const tokensPerCharacter = sizes.tokensPerCharacter(sessionID);
  const measure = (some: readonly Message[]): number => Math.ceil(countCharacters(some) * tokensPerCharacter);
  const answers = countAnswers(messages);
  return {
    seen: { find, history, shownFrom },
    ...{ view, tokens, budgetTokens, tokensPerCharacter, ...known },
    cachedFrom: measureCached({ view, count: messages.length, lastAnswer: cachedUntil, model }, measure),
    rates: request.rates(tokens),
    turns: countTurns(messages),
    answersSince: (index) => (answers.at(-1) ?? 0) - (answers[index] ?? 0),
    superseded: findSuperseded(messages.slice(shownFrom())),
    namedTools: config.microCompact.tools,
    project: folders.project,
    showUncut: (cut) => showUncut(request, cut),
  };
}

/** Without this cut an earlier one counts, if there is any. */
export function showUncut({ find, history }: Pick<ContextRequest, "find" | "history">, { key }: CutEntry) {
  const findUncut: Seen["find"] = (one) => {
    const standing = find(one);
    if (one !== key.key || !standing) return standing;
    const { cut: _, ...rest } = standing;
    return rest;
  };
  return replay(history, findUncut, () => findCut(history, findUncut));
}

/** For each message the number of answers up to it. */
function countAnswers(messages: readonly Message[]): number[] {
  let count = 0;
  return messages.map(({ info }) => {
    if (info.role === "assistant" && info.summary !== true) count++;
    return count;
  });
}

/* The agent's answers to one message, whole, as a text for people and for the agent. Pure. */

type Turn = Pick<TurnEntry, "end" | "index">;

/** With what layers have appended to results, such as messages of other agents. */
export function formatTurn({ find, history }: Pick<Seen, "find" | "history">, { end, index }: Turn): string {
  const results = history.results(index).filter((result) => result.index < end);
  const answers = history.messages.slice(index, end).map(({ parts }, at) => {
    const told = parts.flatMap((part) => formatPart(part, results, find));
    return [`## Answer ${at + 1}`, ...(told.length > 0 ? told : ["(nothing)"])].join("\n\n");
  });
  return `${answers.join("\n\n")}\n`;
}

function formatPart(part: Part, results: readonly Result[], find: Find): string[] {
  if (isToolPart(part)) return [formatCall(part, results, find)];
  const isText = part.type === "text" || part.type === "reasoning";
  return isText && part.text !== undefined && part.text.trim() !== "" ? [part.text.trim()] : [];
}

function formatCall(part: ToolPart, results: readonly Result[], find: Find): string {
  const result = results.find((one) => one.part === part);
  const behind = result ? (find(result.key)?.extended ?? []).flatMap(({ text }) => text ?? []) : [];
  return [
    `### ${part.tool}`,
    new TextDecoder().decode(formatWholeInput({ part })),
    `Result:\n${result?.text ?? "(none)"}`,
    ...behind,
  ].join("\n\n");
}

/** What stands in its place. */
export function formatTurnMarker(
  messages: readonly Message[],
  { file, tokens }: { file: string; tokens: number },
): string {
  const tools = formatTools(messages);
  const calls = tools === "" ? "no calls" : `calls of ${tools}`;
  return `[Strata] Dropped by the user: this turn of the agent, ${calls}, about ${formatCount(tokens)} tokens; whole in ${file}`;
}

/* Keeps the file of a turn that a person has dropped: marks it as used, or writes it again from the host's copy. */

/** `index` is that of the turn's first answer. Never rejects. */
export async function restoreTurn(
  seen: Pick<Seen, "find" | "history">,
  { file, index }: { file: string; index: number },
  { log, resultFiles }: Pick<KernelContext, "log" | "resultFiles">,
): Promise<void> {
  const { messages } = seen.history;
  let end = index + 1;
  while (end < messages.length && isDropped(seen, end)) end++;
  try {
    if (await resultFiles.exists(file)) return await resultFiles.touch(file);
    await resultFiles.restore(file, Buffer.from(formatTurn(seen, { index, end })));
    log.warn("view", `${file} was missing and has been restored from the host's copy`);
  } catch (thrown) {
    log.error("view", `cannot restore or touch ${file}, which the context names: ${formatError(thrown)}`);
  }
}

/** A further answer of the same turn has no file of its own. */
function isDropped({ find, history }: Pick<Seen, "find" | "history">, index: number): boolean {
  const key = history.keyOf(index);
  const dropped = key ? find(key.key)?.dropped : undefined;
  return dropped !== undefined && dropped.file === undefined;
}
