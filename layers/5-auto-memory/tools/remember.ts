/**
 * `memory_remember`: the agent stores one fact.
 *
 * A directive, preference, feedback or pattern holds the user's words. The agent's text is looked up in the user's messages
 * of this session, and the sentence found there is stored verbatim, title included. If none is found, nothing is stored:
 * the agent may ask the user, or store a fact as `knowledge`, which is not a rule. A subagent's session has no messages of
 * the user.
 */

import * as z from "zod";
import { StrataError } from "../../../src/base/error.js";
import { shortenPath } from "../../../src/base/text.js";
import type { Quotes } from "../../../src/conversations/quotes.js";
import type { LayerContext } from "../../../src/kernel/layer-context.js";
import { USUAL_IMPORTANCE } from "../../../src/memory/fields.js";
import type { Gate } from "../../../src/memory/gate/gate.js";
import {
  type MemoryDraft,
  memoryTypes,
  type Provenance,
  readTypeName,
  usersTypes,
} from "../../../src/memory/memory.js";
import type { MemorySearch } from "../../../src/memory/search/search.js";
import type { Memories, Written } from "../../../src/memory/store/store.js";
import { findEntities } from "../../../src/text/entities.js";
import type { AgentChange, Conflicts } from "../injection/conflicts.js";
import { findEnd, findSaid, findVerbatim, type Said, saysEverywhere } from "../said/find-said.js";
import { findWhen, formatTitle } from "../words/describe.js";
import type { UsersMessage } from "../words/statements.js";

/** Other tools' names for types are accepted and not offered. */
export const type = z.preprocess(
  (given) => (typeof given === "string" ? (readTypeName(given) ?? given) : given),
  z.enum(memoryTypes),
);
const words = z.array(z.string().trim().min(1).max(120)).max(20).optional();

export const rememberArguments = z.object({
  content: z.string().trim().min(3).max(10_000),
  type,
  title: z.string().trim().min(3).max(120).optional(),
  aliases: words,
  tags: words,
  entities: words,
  importance: z.number().min(0).max(1).optional(),
  sensitivity: z.enum(["internal", "private"]).optional(),
  scope: z.enum(["project", "global"]).optional(),
  expires: z.string().optional(),
});

export const keepArguments = z.object({ letters: z.string().trim().min(1).max(300) });

type Arguments = z.output<typeof rememberArguments>;

export type Call = Readonly<Record<"messageID" | "sessionID", string>>;

export async function remember(
  context: MemoryToolsContext,
  args: Arguments,
  { messageID, sessionID: session }: Call,
): Promise<string> {
  const { clock, gate, readUsersMessages } = context;
  const nowMs = clock.now();
  const expires = readExpiry(args.expires, nowMs);
  const messages = await readUsersMessages(session);
  const isUsers = usersTypes.has(args.type);
  const users = isUsers ? findSaid(args.content, messages) : undefined;
  if (typeof users === "string") throw refuseUnsaid(args.type, users);
  const said = users ?? findVerbatim(args.content, messages);
  const { draft, left } = users
    ? planSaid(args, users, nowMs)
    : { draft: planFact(args, said, expires), left: [] };
  const provenance = said
    ? provenanceOf(said, session)
    : { by: "agent" as const, session, message: messageID, how: "tool" as const };
  const cause = { operation: "remember", session };
  const written = await gate.save({ ...draft, provenance }, said?.atMs ?? nowMs, cause);
  if (said) tellSuperseded(context, written, said.text);
  const isKnown = written.kind === "unchanged" || (written.kind === "written" && written.isKnown);
  const answer = formatWritten(context, written, isKnown ? "Known already" : "Kept");
  return users ? [answer, `Word for word: ${users.text}`, ...left].join("\n") : answer;
}

function tellSuperseded({ tellUser }: MemoryToolsContext, written: Written, words: string): void {
  if (written.kind !== "written") return;
  const what = `put ${written.memory.id} in the place of`;
  for (const { id, type } of written.superseded ?? [])
    if (usersTypes.has(type)) tellUser({ id, what, words });
}

/** The user's sentence, with only those of the agent's attributes that it supports. `left`: what it does not support. */
function planSaid(
  { aliases, expires, importance, scope, sensitivity, tags, type }: Arguments,
  { atMs, text }: Said,
  nowMs: number,
) {
  const isGlobal = scope === "global" && saysEverywhere(text);
  const end = expires === undefined ? undefined : findEnd(text, expires, atMs ?? nowMs);
  const left: string[] = [];
  if (scope === "global" && !isGlobal)
    left.push("For this project only: the user's sentence does not speak of all projects.");
  if (expires !== undefined && end === undefined)
    left.push("Without an end: the user's sentence does not name that day.");
  const draft: Omit<MemoryDraft, "provenance"> = {
    type,
    title: formatTitle(text),
    content: text,
    entities: findEntities(text),
    when: findWhen(text),
    // For the search only; never shown as the user's words.
    ...(aliases && { aliases }),
    ...(tags && { tags }),
    // A lower importance would bury what the user said.
    ...(importance !== undefined && { importance: Math.max(importance, USUAL_IMPORTANCE) }),
    ...(sensitivity && { sensitivity }),
    ...(isGlobal && { scope: "global" }),
    ...(end !== undefined && { expires: end }),
  };
  return { draft, left };
}

/** The agent's fact; if it is exactly the user's sentence, the title is made from that. */
function planFact(
  { content, entities = [], expires: _, title, ...more }: Arguments,
  said: Said | undefined,
  expires: string | undefined,
): Omit<MemoryDraft, "provenance"> {
  const text = said?.text ?? content;
  const named = said ? formatTitle(text) : title;
  const given = Object.fromEntries(Object.entries(more).filter(([, value]) => value !== undefined));
  return {
    ...(given as Pick<Arguments, "type">),
    content: text,
    entities: [...new Set([...entities, ...findEntities(text)])],
    when: [],
    ...(named !== undefined && { title: named }),
    ...(expires !== undefined && { expires }),
  };
}

function readExpiry(given: string | undefined, nowMs: number): string | undefined {
  if (given === undefined) return undefined;
  const timeMs = Date.parse(given);
  if (Number.isNaN(timeMs) || timeMs <= nowMs)
    throw new StrataError(
      "EMEMORYEXPIRES",
      `expires: expected an ISO date in the future, got ${JSON.stringify(given)}. Nothing was kept.`,
    );
  return new Date(timeMs).toISOString();
}

/* Shared parts of the memory tools: their context and the format of their answers. */

export interface MemoryToolsContext extends Pick<LayerContext, "clock" | "files" | "folders" | "log"> {
  memories: Memories;
  gate: Gate;
  conflicts: Pick<Conflicts, "see" | "update">;
  tellUser(change: AgentChange): void;
  search: Pick<MemorySearch, "find">;
  /** Absent where other tools search conversations. */
  quotes?(): Promise<Quotes>;
  /** Absent where the agent is not asked what to keep. */
  agentJudge?: { keep(letters: string, sessionID: string): Promise<string> } | undefined;
  /** The user's messages in the session; empty for a subagent's session, where another agent writes. */
  readUsersMessages(sessionID: string): Promise<UsersMessage[]>;
}

export function provenanceOf({ evidence, how, messageID }: Said, session: string): Provenance {
  return { by: "user", session, message: messageID, evidence, how };
}

/** Formats one line that names the file. Throws if the store refused. */
export function formatWritten({ folders }: MemoryToolsContext, written: Written, what: string): string {
  if (written.kind !== "refused")
    return `${what}: ${written.memory.id} in ${shortenPath(written.path, folders.project)}`;
  const { existing, why } = written;
  const known = existing ? ` It is known as ${existing.id}; memory_update changes that one.` : "";
  throw new StrataError("EMEMORYREFUSED", `Nothing was changed. ${why}${known}`);
}

export function refuseUnsaid(type: string, why: string): StrataError {
  return new StrataError(
    "EMEMORYUNSAID",
    `Nothing was changed. A ${type} holds what the user said, and ${why}. Repeat the user's own sentence as content, ask the user ("Shall I always …?") and try again after a yes, or keep a fact as knowledge.`,
  );
}
