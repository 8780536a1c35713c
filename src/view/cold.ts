/** Is the prompt cache cold, so that nothing is lost when the prefix changes? */

import { type History, isEndedAnswer } from "../conversation/history.js";
import type { MessageInfo, ModelName } from "../conversation/message.js";
import { findByName } from "../patterns.js";
import { findHostBreak } from "./breaks.js";

export interface CachePolicy {
  /** After so many minutes no provider is thought to have the prefix any more. */
  idleMinutes: number;
  /** Minutes that a provider keeps it, by "provider/model", where that is less. */
  cacheMinutes: Readonly<Record<string, number>>;
}

/**
 * Anthropic keeps a prefix for 5 minutes as OpenCode marks it, without a lifetime. Others do not promise a time, or
 * a longer one.
 */
const KNOWN_MINUTES: Readonly<Record<string, number>> = { "anthropic/*": 5, "*claude*": 5 };

/** A prompt below this is not cached by some providers, so that nothing can be told from it. */
const LEAST_CACHED_TOKENS = 4_096;
const MINUTE_MS = 60_000;

/**
 * Why the cache is cold, or `undefined`: nobody asked for longer than the provider keeps the prefix, the prefix breaks
 * with this request anyway, or the provider does not cache at all, as its last answers say. A restart alone is no
 * reason: the host sends the same bytes after it (measured).
 */
export function findColdReason(
  history: History,
  model: ModelName | undefined,
  nowMs: number,
  policy: CachePolicy,
): string | undefined {
  const last = history.messages[history.lastAnswer]?.info;
  const hostBreak = findHostBreak(history, model, nowMs);
  // Another agent may have the same prompt and tools, as far as the bytes go.
  if (hostBreak && hostBreak.kind !== "agent") return hostBreak.reason;
  if (!last) return undefined;
  const idleMinutes = (nowMs - (last.time?.completed ?? nowMs)) / MINUTE_MS;
  const minutes = findLifetime(last, policy);
  if (idleMinutes >= minutes)
    return `idle for ${formatMinutes(idleMinutes)}, the cache lives ${formatMinutes(minutes)}`;
  return isUncached(history, minutes) ? "the provider's last answers read nothing from a cache" : undefined;
}

function findLifetime(
  { providerID, modelID }: MessageInfo,
  { idleMinutes, cacheMinutes }: CachePolicy,
): number {
  const name = `${providerID}/${modelID}`;
  return Math.min(
    idleMinutes,
    findByName(cacheMinutes, name) ?? findByName(KNOWN_MINUTES, name) ?? idleMinutes,
  );
}

/**
 * One answer without a cache read tells nothing about now: its request may have filled the cache. Two in a row do,
 * where the second one's request could have read what the first one's wrote.
 */
function isUncached({ messages, lastAnswer }: History, lifetimeMinutes: number): boolean {
  const before = messages.slice(0, lastAnswer).findLast(isEndedAnswer)?.info;
  const last = messages[lastAnswer]?.info;
  if (!before || !last || before.modelID !== last.modelID) return false;
  const pauseMinutes =
    ((last.time?.created ?? 0) - (before.time?.completed ?? Number.NEGATIVE_INFINITY)) / MINUTE_MS;
  const isTelling = (info: MessageInfo): boolean =>
    (info.tokens?.input ?? 0) >= LEAST_CACHED_TOKENS && info.tokens?.cache.read === 0;
  return pauseMinutes < lifetimeMinutes && isTelling(before) && isTelling(last);
}

function formatMinutes(minutes: number): string {
  return minutes < 1 ? `${Math.round(minutes * 60)} s` : `${Math.floor(minutes)} min`;
}
