/** What OpenCode 1 and 2 report in the same form: prices, undone messages, and evidence of turns. */

import { isRecord } from "../base/shape.js";
import type { LongPrices, ModelPrices, PriceTier } from "../io/host.js";
import type { Message } from "../io/message.js";
import type { Calls } from "../kernel/calls.js";

/** The host applies `experimentalOver200K` beyond this size of the prompt (OpenCode 1.18.33). */
const OVER_200K_TOKENS = 200_000;

/**
 * `model.cost` of OpenCode 1.18.33, in dollars per million tokens: `{ input, output, cache: { read, write } }`, and for
 * long prompts `tiers`, or else `experimentalOver200K`. `undefined` if the host gives no prices.
 */
export function readPrices(cost: unknown): ModelPrices | undefined {
  const first = readTier(cost);
  if (!first || !isRecord(cost)) return undefined;
  const tiers = Array.isArray(cost.tiers) ? cost.tiers.flatMap(readLong) : [];
  const over = readTier(cost.experimentalOver200K);
  const longer = tiers.length > 0 || !over ? tiers : [{ ...over, aboveTokens: OVER_200K_TOKENS }];
  return { ...first, longer: longer.sort((a, b) => a.aboveTokens - b.aboveTokens) };
}

function readLong(given: unknown): LongPrices[] {
  const tier = readTier(given);
  const { type, size } = isRecord(given) && isRecord(given.tier) ? given.tier : {};
  return tier && type === "context" && isPrice(size) ? [{ ...tier, aboveTokens: size }] : [];
}

function readTier(given: unknown): PriceTier | undefined {
  if (!isRecord(given)) return undefined;
  const { cache, input, output } = given;
  const { read, write } = isRecord(cache) ? cache : {};
  if (!isPrice(input) || !isPrice(output)) return undefined;
  return { input, output, cacheRead: isPrice(read) ? read : 0, cacheWrite: isPrice(write) ? write : 0 };
}

function isPrice(given: unknown): given is number {
  return typeof given === "number" && Number.isFinite(given) && given >= 0;
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
