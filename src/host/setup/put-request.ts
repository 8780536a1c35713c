/** Writes what the layers have made of a request into the host's event, at once, or not at all. */
import type { Message } from "../../conversation/message.js";
import { withCacheHint } from "./cache-hints.js";
import { findFault } from "./check-request.js";
import type { ContextEvent, TheirMessage } from "./contract.js";
import type { Opened } from "./open-request.js";

/** Returns why the request stays as it was; `undefined` if it is written or nothing has changed. */
export function putRequest(
  { event, request }: Pick<Opened, "event" | "request">,
  view: readonly Message[],
): string | undefined {
  const before = event.messages;
  const written = request.write(view);
  if (!written) return "the changed messages have no safe form in OpenCode 2";
  const after = withCacheHint(written, [...asList(event.system), ...Object.values(event.tools ?? {})]);
  if (after.length === before.length && after.every((message, index) => message === before[index]))
    return undefined;
  const fault = findFault(before, after);
  if (fault !== undefined) return fault;
  putMessages(event, after);
  return undefined;
}

const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Changes the host's own list, which the host may hold on to; replaces the event's list if it cannot be changed. */
function putMessages(event: ContextEvent, after: readonly TheirMessage[]): void {
  const list = event.messages;
  const before = [...list];
  try {
    putInto(list, after);
  } catch {
    // Never half of it: the list gets its old messages back, and the event another list.
    try {
      putInto(list, before);
    } catch {
      // A list that refuses every change is as it was.
    }
    event.messages = [...after];
  }
}

function putInto(list: TheirMessage[], messages: readonly TheirMessage[]): void {
  for (const [index, message] of messages.entries()) if (list[index] !== message) list[index] = message;
  list.length = messages.length;
}
