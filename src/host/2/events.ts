/**
 * Translates OpenCode 2's events into OpenCode 1's, which layers know. The stream carries events of every location on
 * the server; those of other locations concern projects that are not open here and are dropped.
 */
import { isRecord, type PlainRecord } from "../../base/shape.js";
import type { HostEvent } from "../../io/host.js";
import { INVALID_REQUEST, type StoredMessage, type TheirEvent } from "./contract.js";
import { readInfo } from "./stored.js";

export interface Location {
  directory: string;
  workspaceID?: string;
}

const REMEMBERED = 500;
/** Characters of a provider's message that are looked through. */
const MOST_SEARCHED = 2_000;

export type EventReader = ReturnType<typeof createEventReader>;

/** `findTold`: an answer as the events until now have told it. */
export function createEventReader(
  here: Location,
  findTold: (messageID: string) => StoredMessage | undefined,
) {
  const sessions = new Set<string>();

  return {
    /** Events for layers; empty if the event belongs to another location or no layer needs it. Never throws. */
    read(event: unknown): HostEvent[] {
      if (!isTheirs(event) || !isHere(event)) return [];
      const { data, type } = event;
      return type === "session.step.ended" ? readAnswer(data) : translateSession(type, data);
    },
    /** Notes a session of this location: the host has called a hook for it. */
    know(sessionID: string): void {
      sessions.add(sessionID);
      if (sessions.size > REMEMBERED) sessions.delete(sessions.values().next().value ?? "");
    },
  };

  function isHere({ data, location }: TheirEvent): boolean {
    if (!isRecord(location)) return typeof data.sessionID === "string" && sessions.has(data.sessionID);
    return location.directory === here.directory && (location.workspaceID ?? undefined) === here.workspaceID;
  }

  /** An answer has ended: OpenCode 1 reports the whole message. */
  function readAnswer({ assistantMessageID, sessionID }: PlainRecord): HostEvent[] {
    const told = findTold(String(assistantMessageID));
    const info = told && readInfo(told.id, "assistant", told, { sessionID: String(sessionID) });
    return info?.tokens ? [{ type: "message.updated", properties: { info } }] : [];
  }
}

function translateSession(type: string, data: PlainRecord): HostEvent[] {
  const { sessionID } = data;
  const { message } = isRecord(data.error) ? data.error : {};
  const of = (name: string, more: PlainRecord = {}): HostEvent => ({
    type: name,
    properties: { sessionID, ...more },
  });
  const about = (name: string, more: PlainRecord = {}): HostEvent => ({
    type: name,
    properties: { info: { id: sessionID, ...more } },
  });
  switch (type) {
    case "session.created":
      return [about(type, isRecord(data.info) ? data.info : { parentID: data.parentID })];
    case "session.deleted":
      return [about(type)];
    case "session.execution.started":
      return [of("session.status", { status: { type: "busy" } })];
    case "session.execution.succeeded":
      return [of("session.idle")];
    case "session.execution.interrupted":
      return [of("session.error", { error: { name: "MessageAbortedError", data: {} } }), of("session.idle")];
    case "session.execution.failed":
      return [of("session.error", { error: readError(data.error) }), of("session.idle")];
    case "session.compaction.ended":
      return [of("session.compacted")];
    case "session.compaction.failed":
      return [of("session.error", { error: readError(data.error) })];
    // The host compacts and tries again; only if that fails, too, does the turn fail.
    case "session.step.failed":
      return isOverflow(data.error) ? [of("session.error", { error: readError(data.error) })] : [];
    case "session.retry.scheduled":
      return [of("session.status", { status: { type: "retry", attempt: data.attempt, message } })];
    case "session.revert.staged":
      return [about("session.updated", { revert: data.revert })];
    case "session.revert.cleared":
    case "session.revert.committed":
      return [about("session.updated")];
    default:
      return [];
  }
}

/** Gives a prompt that is too long, and what a person breaks off, OpenCode 1's names of errors, which layers look for. */
function readError(error: unknown): PlainRecord {
  const { message, type } = isRecord(error) ? error : {};
  const isAborted = /^aborted$|\binterrupted$/.test(String(type));
  const name = isAborted ? "MessageAbortedError" : String(type ?? "error");
  return { name: isOverflow(error) ? "ContextOverflowError" : name, data: { message } };
}

/** The type alone does not tell a prompt that is too long from other requests that a provider refuses. */
function isOverflow(error: unknown): boolean {
  const { message, status, type } = isRecord(error) ? error : {};
  // OpenCode 1 compacts after this status, OpenCode 2 ends the turn.
  if (status === 413 || /context[-_. ]?overflow/i.test(String(type))) return true;
  if (type !== INVALID_REQUEST) return false;
  return /\bcontext\b.*\b(length|window|size|limit)\b|context_length|\btoo (long|many tokens)\b|\bexceeds?\b.*\btokens?\b/i.test(
    String(message).slice(0, MOST_SEARCHED),
  );
}

function isTheirs(event: unknown): event is TheirEvent {
  return isRecord(event) && typeof event.type === "string" && isRecord(event.data);
}
