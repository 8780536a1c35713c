/** Reasons outside Strata why the prefix of a request differs from that of the one before. */
import type { ModelName } from "../io/message.js";
import type { History } from "../messages/history.js";

export interface HostBreak {
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
  const key = (what: string) => `${what} after ${last.time?.created}`;
  if (model && last.modelID !== undefined && nameOf(last) !== nameOf(model)) {
    const reason = `the model was switched from ${nameOf(last)} to ${nameOf(model)}`;
    return { kind: "model", reason, key: key("model") };
  }
  const endedMs = last.time?.completed ?? last.time?.created;
  if (endedMs !== undefined && formatDay(endedMs) !== formatDay(nowMs)) {
    return { kind: "day", reason: `a new day has begun, ${formatDay(nowMs)}`, key: key("day") };
  }
  if (user.agent !== undefined && last.agent !== undefined && user.agent !== last.agent) {
    const reason = `the agent was switched from ${last.agent} to ${user.agent}`;
    return { kind: "agent", reason, key: key("agent") };
  }
  return undefined;
}

const nameOf = ({ providerID, modelID }: Partial<ModelName>): string => `${providerID}/${modelID}`;

/** The day in the host's format, in the machine's time zone. */
const formatDay = (timeMs: number): string => new Date(timeMs).toDateString();
