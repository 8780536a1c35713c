import { isRecord } from "../base/shape.js";
import type { Pulse } from "../kernel/pulse.js";

/**
 * Counts answers, answers that ran tools, and the host's summaries. A shell command that a person runs with `!`
 * calls no hook and does not count; nor does a message that a fork copied, although the host reports it as new.
 */
export function noteSign(type: string, properties: unknown, pulse: Pulse): void {
  if (type === "session.compacted") pulse.sign("compaction");
  const info = type === "message.updated" && isRecord(properties) ? properties.info : undefined;
  if (!isRecord(info) || info.role !== "assistant" || !isRecord(info.time)) return;
  const { completed } = info.time;
  if (info.finish === undefined || typeof completed !== "number" || completed < pulse.startedMs) return;
  pulse.sign("answer");
  if (info.finish === "tool-calls") pulse.sign("toolRun");
}
