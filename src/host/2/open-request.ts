/** Opens a request of OpenCode 2 for the layers: the host's messages as ours, with what is stored about them. */

import { isRecord } from "../../base/records.js";
import { isToolPart, type Message, type ModelName } from "../../io/message.js";
import type { ContextEvent, StoredMessage, TheirMessage } from "./contract.js";
import { isMessageList, type ReadRequest, readRequest } from "./messages.js";
import type { StoredSessions } from "./stored-sessions.js";

export interface Opened {
  event: ContextEvent;
  request: ReadRequest;
  model: ModelName;
}

/** What is remembered between requests. */
export interface Sent {
  /** When a request that leaves no trace last refreshed the provider's cache, by session. */
  warmed: Map<string, number>;
  /** Ids of calls whose results were sent before their times could be read. */
  untimed: Set<string>;
}

export const createSent = (): Sent => ({ warmed: new Map(), untimed: new Set() });

const MOST_UNTIMED = 5_000;

/** `undefined` if there are no messages for layers. Never rejects. */
export async function openRequest(
  event: ContextEvent,
  stored: StoredSessions,
  { untimed, warmed }: Sent,
): Promise<Opened | undefined> {
  const { agent, messages, sessionID } = event;
  const known = await stored.readFor(sessionID, messages);
  const model = { providerID: event.model.providerID, modelID: event.model.id };
  const facts = { sessionID, model, ...(agent !== undefined && { agent }) };
  const findWarm = withWarmth(messages, known, warmed.get(sessionID));
  const request = readRequest(messages, (id) => withoutCalls(findWarm(id), untimed), facts);
  // If nothing could be read since the start, decisions of earlier starts must apply as soon as it can.
  if (request && known.size > 0) noteUntimed(request.messages, untimed);
  return request && request.messages.length > 0 ? { event, request, model } : undefined;
}

/** A result that was sent whole stays whole: such calls stay without times, also when these can be read later. */
function withoutCalls(
  stored: StoredMessage | undefined,
  untimed: ReadonlySet<string>,
): StoredMessage | undefined {
  if (!stored?.content?.some(({ id = "" }) => untimed.has(id))) return stored;
  return { ...stored, content: stored.content.filter(({ id = "" }) => !untimed.has(id)) };
}

function noteUntimed(messages: readonly Message[], untimed: Set<string>): void {
  for (const { parts } of messages)
    for (const part of parts) {
      if (!isToolPart(part) || part.state.status === "running" || part.state.time !== undefined) continue;
      untimed.add(part.callID);
      if (untimed.size > MOST_UNTIMED) untimed.delete(untimed.values().next().value ?? "");
    }
}

/** A request without trace that came after the last answer has kept the provider's cache warm. */
function withWarmth(
  messages: readonly TheirMessage[],
  known: ReadonlyMap<string, StoredMessage>,
  warmedMs: number | undefined,
): (id: string) => StoredMessage | undefined {
  const last = messages.findLast(({ role }) => role === "assistant")?.id;
  return (id) => {
    const found = known.get(id);
    const completed = found?.time.completed;
    if (!found || id !== last || warmedMs === undefined || completed === undefined || warmedMs <= completed)
      return found;
    return { ...found, time: { ...found.time, completed: warmedMs } };
  };
}

export function isContextEvent(event: unknown): event is ContextEvent {
  if (!isRecord(event) || typeof event.sessionID !== "string" || !isRecord(event.model)) return false;
  const { id, providerID } = event.model;
  return typeof id === "string" && typeof providerID === "string" && isMessageList(event.messages);
}
