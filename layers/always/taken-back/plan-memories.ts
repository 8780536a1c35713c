/**
 * Plans which memories to archive because the user has undone their message, and which to restore. Pure.
 *
 *     its message is gone, or no longer says it     archived, and marked with the time
 *     also said in another message or session       stays
 *     a memory that it had superseded               becomes active again
 *     the message is back                           restored, unless it was moved meanwhile
 */
import type { Message } from "../../../src/io/message.js";
import type { Memory } from "../../../src/memory/memory.js";
import { readSessions } from "../../../src/memory/sessions.js";
import { nameMessage, readOwnTexts } from "../../../src/messages/call.js";
import { foldLetters } from "../../../src/text/text.js";

/** Frontmatter keys: when a memory was archived; and the archived memory that had superseded this one. */
const TAKEN_BACK = "takenBack";
const FREED_BY = "freedBy";

export interface MemoryPlan {
  /** Memories to archive or to make active again, before and after. */
  away: { before: Memory; after: Memory }[];
  /** Memories to restore or to supersede again, before and after. */
  back: { before: Memory; after: Memory }[];
}

/** Is it archived because its message was undone? */
export const isTakenBack = ({ extra, status }: Memory): boolean =>
  status === "archived" && extra[TAKEN_BACK] !== undefined;

/** `all` includes archived memories; `messages` are all messages of the session. */
export function planMemories(
  all: readonly Memory[],
  { messages, now, sessionID }: { messages: readonly Message[]; now: string; sessionID: string },
): MemoryPlan {
  const said = readSaid(messages);
  const away: MemoryPlan["away"] = [];
  const back: MemoryPlan["back"] = [];
  for (const memory of all) {
    if (memory.provenance.session !== sessionID || memory.provenance.message === undefined) continue;
    if (isTakenBack(memory) && isSaid(memory, said)) back.push(bring(memory));
    if (mayGo(memory) && !isSaid(memory, said) && !isSaidElsewhere(memory, said)) away.push(put(memory, now));
  }
  const gone = new Set(away.map(({ before }) => before.id));
  const there = new Set(back.map(({ before }) => before.id));
  for (const memory of all) {
    const { extra, status, supersededBy } = memory;
    if (status === "superseded" && supersededBy !== undefined && gone.has(supersededBy))
      away.push(free(memory, supersededBy));
    const by = extra[FREED_BY];
    if (status === "active" && typeof by === "string" && there.has(by)) back.push(supersede(memory, by));
  }
  return { away, back };
}

/** Leaves out what a person has written and what was restored by hand. */
function mayGo({ extra, isForeign, provenance, status }: Memory): boolean {
  const isOpen = status === "active" || status === "resolved";
  return isOpen && !isForeign && provenance.by !== "person" && extra[TAKEN_BACK] === undefined;
}

interface Said {
  /** By message id: the letters and digits of its text. */
  texts: ReadonlyMap<string, string>;
  users: readonly string[];
}

function readSaid(messages: readonly Message[]): Said {
  const texts = new Map<string, string>();
  const users: string[] = [];
  for (const { info, parts } of messages) {
    const text = info.role === "user" ? foldLetters(readOwnTexts(parts).join(" ")) : "";
    texts.set(info.id ?? nameMessage(info), text);
    if (info.role === "user") users.push(text);
  }
  return { texts, users };
}

/** Does its message exist and contain the quoted words? For an agent's memory the words are not checked. */
function isSaid({ provenance: { by, evidence, message = "" } }: Memory, { texts }: Said): boolean {
  const text = texts.get(message);
  if (text === undefined) return false;
  // A redacted quotation is not found in the message, which still has the secret.
  const isWhole = evidence !== undefined && !/redacted|\[removed: /i.test(evidence);
  return by !== "user" || !isWhole || text.includes(foldLetters(evidence));
}

function isSaidElsewhere(memory: Memory, { users }: Said): boolean {
  const { evidence } = memory.provenance;
  const quoted = foldLetters(evidence ?? "");
  return readSessions(memory).length > 1 || (quoted !== "" && users.some((text) => text.includes(quoted)));
}

function put(before: Memory, now: string): MemoryPlan["away"][number] {
  return { before, after: { ...before, status: "archived", extra: { ...before.extra, [TAKEN_BACK]: now } } };
}

function bring(before: Memory): MemoryPlan["back"][number] {
  const { [TAKEN_BACK]: _, ...extra } = before.extra;
  return { before, after: { ...before, extra } };
}

function free(before: Memory, by: string): MemoryPlan["away"][number] {
  const { supersededBy: _, ...rest } = before;
  return { before, after: { ...rest, status: "active", extra: { ...before.extra, [FREED_BY]: by } } };
}

function supersede(before: Memory, supersededBy: string): MemoryPlan["back"][number] {
  const { [FREED_BY]: _, ...extra } = before.extra;
  return { before, after: { ...before, status: "superseded", supersededBy, extra } };
}
