/**
 * Marks a cache point in a request: before the oldest result that layer 2 may clear later, so that clearing it loses
 * only the cache behind it. A provider that looks back only a few blocks would otherwise lose the whole conversation.
 *
 * A hint is an object of the host's own class, and a plain one might fail every request. So this only copies a hint
 * that the request already has; without one it adds none.
 */
import { isRecord } from "../../records.js";
import { type CacheHint, MOST_CACHE_HINTS, type TheirMessage, type TheirPart } from "./contract.js";
import { joinTexts } from "./stored.js";
import { readToolName } from "./tool-names.js";
import { copyWith } from "./unit.js";

/** Tools whose results layer 2 clears. */
const CLEARED = new Set(["read", "bash", "grep", "glob", "list", "websearch", "webfetch"]);
/** Shorter results are not worth clearing. */
const LEAST_CHARACTERS = 2_000;

/** The messages with the hint; the same list if there is no place for it, no hint to copy, or no room. Pure. */
export function withCacheHint(
  messages: readonly TheirMessage[],
  others: readonly unknown[],
): readonly TheirMessage[] {
  const parts = messages.flatMap(({ content }) => content);
  const hints = [...others, ...parts].flatMap((one) =>
    isRecord(one) && isHint(one.cache) ? [one.cache] : [],
  );
  const [model] = hints;
  if (!model || hints.length >= MOST_CACHE_HINTS) return messages;
  const oldest = messages.findIndex(({ content }) => content.some(isClearable));
  const at = messages.slice(0, Math.max(0, oldest)).findLastIndex(({ role }) => role !== "assistant");
  const place = messages[at];
  const last = place?.content.at(-1);
  if (!place || !last || last.cache !== undefined) return messages;
  const content = [...place.content.slice(0, -1), copyWith(last, { cache: copyWith(model, {}) })];
  return messages.map((message, index) => (index === at ? copyWith(message, { content }) : message));
}

function isHint(value: unknown): value is CacheHint {
  return isRecord(value) && (value.type === "ephemeral" || value.type === "persistent");
}

function isClearable({ name, result, type }: TheirPart): boolean {
  if (type !== "tool-result" || name === undefined || !CLEARED.has(readToolName(name))) return false;
  const value = result?.value;
  const text = typeof value === "string" ? value : joinTexts(value);
  return text !== undefined && text.length >= LEAST_CHARACTERS;
}
