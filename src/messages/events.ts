/** Events of the host. */
import { isRecord } from "../base/shape.js";

export interface HostEvent {
  type: string;
  properties: Readonly<Record<string, unknown>>;
}

/** Session ID from the session, message or part in an event. */
export function findEventSession({ sessionID, info, part }: HostEvent["properties"]): string | undefined {
  const holder = isRecord(info) ? info : isRecord(part) ? part : {};
  const found = [sessionID, holder.sessionID, holder.id].find((id) => typeof id === "string");
  return found as string | undefined;
}
