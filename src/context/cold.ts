/** Tells whether the prompt cache is cold or breaks anyway, so that changing the prefix costs nothing. */
import { findByName } from "../base/glob.js";
import type { MessageInfo, ModelName } from "../io/message.js";
import { type History, isEndedAnswer } from "../messages/history.js";

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
  const idle = findIdleReason(history, nowMs, policy);
  if (idle !== undefined) return idle;
  const isNever = isUncached(history, findLifetime(last, policy));
  return isNever ? "the provider's last answers read nothing from a cache" : undefined;
}

/** Why the cache is cold, if the session was idle for longer than it lives. */
export function findIdleReason(
  { lastAnswer, messages }: History,
  nowMs: number,
  policy: CachePolicy,
): string | undefined {
  const last = messages[lastAnswer]?.info;
  if (last?.time?.completed === undefined) return undefined;
  const idleMinutes = (nowMs - last.time.completed) / MINUTE_MS;
  const minutes = findLifetime(last, policy);
  if (idleMinutes < minutes) return undefined;
  return `idle for ${formatMinutes(idleMinutes)}, the cache lives ${formatMinutes(minutes)}`;
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

/* Reasons outside Strata why the prefix of a request differs from that of the one before. */

interface HostBreak {
  kind: "compacted" | "model" | "agent" | "day";
  reason: string;
  /** The same for every request until the next answer, so that a break is recorded once. */
  key: string;
}

/**
 * Finds in the history what breaks the prefix at this request: the host has compacted, or the answer comes from another
 * model or agent, or on another day than the last one. (OpenCode's system prompt names the model and the day, and agents
 * have their own prompts and tools.)
 */
export function findHostBreak(
  { messages, lastAnswer, freshSummary }: History,
  model: ModelName | undefined,
  nowMs: number,
): HostBreak | undefined {
  if (freshSummary !== -1) {
    const made = messages[freshSummary]?.info.time?.created;
    return { kind: "compacted", reason: "the host has compacted the session", key: `compacted ${made}` };
  }
  const last = messages[lastAnswer]?.info;
  const user = messages.findLast(({ info }) => info.role === "user")?.info;
  if (!last || !user) return undefined;
  const found = (kind: HostBreak["kind"], reason: string): HostBreak => ({
    ...{ kind, reason },
    key: `${kind} after ${last.time?.created}`,
  });
  if (model && last.modelID !== undefined && nameOf(last) !== nameOf(model))
    return found("model", `the model was switched from ${nameOf(last)} to ${nameOf(model)}`);
  const endedMs = last.time?.completed ?? last.time?.created;
  if (endedMs !== undefined && formatDay(endedMs) !== formatDay(nowMs))
    return found("day", `a new day has begun, ${formatDay(nowMs)}`);
  if (user.agent !== undefined && last.agent !== undefined && user.agent !== last.agent)
    return found("agent", `the agent was switched from ${last.agent} to ${user.agent}`);
  return undefined;
}

const nameOf = ({ providerID, modelID }: Partial<ModelName>): string => `${providerID}/${modelID}`;

/** The day in the host's format, in the machine's time zone. */
const formatDay = (timeMs: number): string => new Date(timeMs).toDateString();
