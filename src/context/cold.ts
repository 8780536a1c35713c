/** Tells whether the prompt cache is cold, so that changing the prefix costs nothing. */
import { findByName } from "../base/patterns.js";
import type { MessageInfo, ModelName } from "../io/message.js";
import { type History, isEndedAnswer } from "../messages/history.js";
import { findHostBreak } from "./breaks.js";

/** The settings of `microCompact`. */
export interface CachePolicy {
  /** Minutes after which a provider that documents no longer time is not expected to have the prefix. */
  idleMinutes: number;
  /** Shorter cache lifetimes in minutes, by "provider/model". */
  cacheMinutes: Readonly<Record<string, number>>;
}

/**
 * How long providers keep a prefix that is not read, as documented in November 2026. Others promise no time, Google's
 * implicit cache and xAI's among them.
 *     Anthropic   5 minutes: OpenCode marks the prefix without a lifetime
 *                 (platform.claude.com/docs/en/build-with-claude/prompt-caching); the same on Bedrock and Vertex
 *     OpenAI      gone after an hour at the latest, often after 5 to 10 minutes; Azure's the same
 *                 (learn.microsoft.com/azure/foundry/openai/how-to/prompt-caching, in-memory retention)
 *     DeepSeek    a few hours to a few days, on disk (api-docs.deepseek.com/guides/kv_cache)
 */
const KNOWN_MINUTES: Readonly<Record<string, number>> = {
  "anthropic/*": 5,
  "*claude*": 5,
  "openai/*": 60,
  "azure/*": 60,
  "deepseek/*": 180,
};
/** The idle time as it is by default. A user who sets a shorter one means it for every provider. */
const USUAL_IDLE_MINUTES = 60;

/** Some providers do not cache smaller prompts, so these prove nothing. */
const LEAST_CACHED_TOKENS = 4_096;
const MINUTE_MS = 60_000;

/**
 * Why the cache is cold, or `undefined`. Reasons: the session was idle for longer than the cache lives, the prefix breaks
 * at this request anyway, or the last answers show that the provider does not cache. A restart alone is no reason: the
 * host then sends the same bytes (measured).
 */
export function findColdReason(
  history: History,
  model: ModelName | undefined,
  nowMs: number,
  policy: CachePolicy,
): string | undefined {
  const last = history.messages[history.lastAnswer]?.info;
  const hostBreak = findHostBreak(history, model, nowMs);
  // Another agent may have the same prompt and tools.
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
  const set = findByName(cacheMinutes, name);
  if (set !== undefined) return Math.min(idleMinutes, set);
  const documented = findByName(KNOWN_MINUTES, name) ?? idleMinutes;
  return documented > idleMinutes && idleMinutes >= USUAL_IDLE_MINUTES
    ? documented
    : Math.min(idleMinutes, documented);
}

/**
 * A single answer without a cache read proves nothing: its request may have filled the cache. Two in a row do, if the
 * second request could have read what the first one wrote.
 */
function isUncached({ messages, lastAnswer }: History, lifetimeMinutes: number): boolean {
  const before = messages.slice(0, lastAnswer).findLast(isEndedAnswer)?.info;
  const last = messages[lastAnswer]?.info;
  if (!before || !last || before.modelID !== last.modelID) return false;
  const pauseMinutes =
    ((last.time?.created ?? 0) - (before.time?.completed ?? Number.NEGATIVE_INFINITY)) / MINUTE_MS;
  const isSubstantive = (info: MessageInfo): boolean =>
    (info.tokens?.input ?? 0) >= LEAST_CACHED_TOKENS && info.tokens?.cache.read === 0;
  return pauseMinutes < lifetimeMinutes && isSubstantive(before) && isSubstantive(last);
}

function formatMinutes(minutes: number): string {
  return minutes < 1 ? `${Math.round(minutes * 60)} s` : `${Math.floor(minutes)} min`;
}
