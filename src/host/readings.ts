/** What OpenCode 1 and 2 have in the same form: prices, undone messages, evidence of turns, and answers of a model. */
import { count, isRecord, type PlainRecord } from "../base/shape.js";
import type { Generated, LongPrices, ModelPrices, PriceTier, UsedTokens } from "../io/host.js";
import type { Message, ModelName } from "../io/message.js";
import type { Calls } from "../kernel/calls.js";

/** The host's default title, as it writes and recognises it. */
export const NO_TITLE = /^(New session - |Child session - )\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

/** The host applies `experimentalOver200K` beyond this size of the prompt (OpenCode 1.18.33). */
const OVER_200K_TOKENS = 200_000;

/**
 * `model.cost` of OpenCode 1.18.33, in dollars per million tokens: `{ input, output, cache: { read, write } }`, and for
 * long prompts `tiers`, or else `experimentalOver200K`. OpenCode 2 has a list of all tiers. `undefined` if the host gives
 * no prices.
 */
export function readPrices(given: unknown): ModelPrices | undefined {
  const cost = Array.isArray(given) ? joinTiers(given.filter(isRecord)) : given;
  const first = readTier(cost);
  if (!first || !isRecord(cost)) return undefined;
  const tiers = Array.isArray(cost.tiers) ? cost.tiers.flatMap(readLong) : [];
  const over = readTier(cost.experimentalOver200K);
  const longer = tiers.length > 0 || !over ? tiers : [{ ...over, aboveTokens: OVER_200K_TOKENS }];
  return { ...first, longer: longer.sort((a, b) => a.aboveTokens - b.aboveTokens) };
}

function joinTiers(all: readonly PlainRecord[]): PlainRecord | undefined {
  const first = all.find(({ tier }) => tier === undefined);
  return first && { ...first, tiers: all.filter(({ tier }) => tier !== undefined) };
}

function readLong(given: unknown): LongPrices[] {
  const tier = readTier(given);
  const { type, size } = isRecord(given) && isRecord(given.tier) ? given.tier : {};
  return tier && type === "context" && count(size) ? [{ ...tier, aboveTokens: size }] : [];
}

function readTier(given: unknown): PriceTier | undefined {
  if (!isRecord(given)) return undefined;
  const { cache, input, output } = given;
  const { read, write } = isRecord(cache) ? cache : {};
  if (!count(input) || !count(output)) return undefined;
  return { input, output, cacheRead: count(read) ? read : 0, cacheWrite: count(write) ? write : 0 };
}

/*
 * The messages left after a user undoes part of a session. Until the next message the host keeps and lists the undone
 * ones, so that they can be redone; then it removes them.
 */

/** Everything from this message on is undone or, with `partID`, from that part of the message on. */
export interface Revert {
  messageID: string;
  partID?: string;
}

/** Pure. Like the host, undoes nothing if the message is missing. */
export function withoutUndone(
  messages: readonly Message[],
  { messageID, partID }: Revert,
): readonly Message[] {
  const at = messages.findIndex(({ info }) => info.id === messageID);
  const message = messages[at];
  if (!message) return messages;
  const before = messages.slice(0, at);
  if (partID === undefined) return before;
  const cut = message.parts.findIndex((part) => (part as { id?: unknown }).id === partID);
  return [...before, cut === -1 ? message : { ...message, parts: message.parts.slice(0, cut) }];
}

/** Absolute paths of files changed in the undone turns, which the host has restored. Pure. */
export function findFilesPutBack(messages: readonly Message[], revert: Revert): string[] {
  const left = new Set(withoutUndone(messages, revert));
  const undone = messages.filter((message) => !left.has(message));
  const files = undone.flatMap(({ parts }) =>
    parts.flatMap((part) => {
      const { files: changed } = part as { files?: unknown };
      return part.type === "patch" && Array.isArray(changed) ? changed : [];
    }),
  );
  return [...new Set(files.filter((file) => typeof file === "string"))];
}

/** The next request follows. */
export function isToolEnd(type: string, properties: unknown): boolean {
  const part = type === "message.part.updated" && isRecord(properties) ? properties.part : undefined;
  const state = isRecord(part) && part.type === "tool" ? part.state : undefined;
  return isRecord(state) && (state.status === "completed" || state.status === "error");
}

/**
 * Counts answers, answers that ran tools, and the host's summaries. A shell command that a person runs with `!`
 * calls no hook and does not count; nor does a message that a fork copied, although the host reports it as new.
 */
export function noteSign(type: string, properties: unknown, calls: Calls): void {
  if (type === "session.compacted") calls.note("compaction");
  const info = type === "message.updated" && isRecord(properties) ? properties.info : undefined;
  if (!isRecord(info) || info.role !== "assistant" || !isRecord(info.time)) return;
  const { completed } = info.time;
  if (info.finish === undefined || typeof completed !== "number" || completed < calls.startedMs) return;
  calls.note("answer");
  if (info.finish === "tool-calls") calls.note("toolRun");
}

/* A text that a model was asked for. */

export const NO_TOKENS: UsedTokens = { input: 0, output: 0, cacheRead: 0 };

/** Without tokens it is not known what it took. */
export function failed(reason: string, tokens: UsedTokens | undefined): Generated & { kind: "failed" } {
  return { kind: "failed", reason, ...(tokens && { tokens }) };
}

/** "provider/model" */
export function splitModel(name: string): ModelName {
  const slash = name.indexOf("/");
  return { providerID: name.slice(0, slash), modelID: name.slice(slash + 1) };
}
