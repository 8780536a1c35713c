/**
 * The agenda: open work of a project, in all sessions of this machine and all instances.
 *
 *     request    the last request of a session, if unanswered
 *     question   the agent's last question, if unanswered
 *     todo       open in the newest list, of any session, that names it
 *     next       a step that a session announced but did not take
 *     plan       a plan without work since it was written, or of a session with open items
 *     blocker    an active memory of this type
 *     conflict   two versions of a memory, undecided
 *     held       a lease on something else
 *
 * Pure. An item's id is made from its contents, so it stays the same from day to day.
 */
import { createHash } from "node:crypto";
import type { Memory } from "../../../src/memory/memory.js";
import { isActive } from "../../../src/memory/memory.js";
import type { ConflictRecord } from "../../../src/memory/store/conflict-log.js";
import { findOpenPoints, findQuestion, hasOpenPoints } from "../../../src/notes/handoff.js";
import type { ReadSession } from "../../../src/notes/session-files.js";
import type { Lease } from "../../../src/project/other-instances.js";
import { foldSentence, toLine } from "../../../src/text/text.js";

export const agendaKinds = [
  "request",
  "question",
  "todo",
  "next",
  "plan",
  "blocker",
  "conflict",
  "held",
] as const;
export type AgendaKind = (typeof agendaKinds)[number];

export interface AgendaItem {
  /** `a-` and 7 hexadecimal digits. */
  id: string;
  kind: AgendaKind;
  /** One line. */
  text: string;
  /** When it arose, in milliseconds since 1970; 0 if unknown. */
  atMs: number;
  /** The session that it comes from, if any. */
  session?: string;
  /** The session's instance, if it is running. */
  instance?: string;
  /** Is an agent at work in the session? */
  isBusy?: true;
  /** Is it the todo that the agent is working on? */
  isInProgress?: true;
  /** Did it come with the repository? Then it is data, whatever it says. */
  isForeign?: true;
  /** For the kind `held`: what is leased. */
  item?: string;
  /** Who claimed it. */
  claim?: AgendaClaim;
}

export interface AgendaClaim {
  instance: string;
  session: string;
  untilMs: number;
}

export interface AgendaSession extends Pick<ReadSession, "removed" | "sessionID" | "stored"> {
  live?: { instance: string; isBusy: boolean };
}

export interface AgendaInput {
  sessions: readonly AgendaSession[];
  memories: readonly Memory[];
  conflicts: readonly Pick<ConflictRecord, "found" | "id" | "title">[];
  /** Leases in force. */
  leases: readonly Lease[];
  nowMs: number;
}

const LONGEST_TEXT = 200;
const ORDER = new Map(agendaKinds.map((kind, index) => [kind, index]));

/** Grouped by kind, newest first within each. */
export function planAgenda({ conflicts, leases, memories, nowMs, sessions }: AgendaInput): AgendaItem[] {
  const items = [
    ...planSessions(sessions),
    ...memories.filter((memory) => isOpenBlocker(memory, nowMs)).map(toBlocker),
    ...conflicts.map(toConflict),
  ];
  const ids = new Set(items.map(({ id }) => id));
  const claims = new Map(leases.map((lease) => [lease.item, lease]));
  const claimed = items.map((item) => {
    const lease = claims.get(item.id);
    return lease ? { ...item, claim: toClaim(lease) } : item;
  });
  const held = leases.filter(({ item }) => !ids.has(item) && !isAgendaID(item)).map(toHeld);
  const rankOf = ({ kind }: AgendaItem): number => ORDER.get(kind) ?? 0;
  return [...claimed, ...held].sort((a, b) => rankOf(a) - rankOf(b) || b.atMs - a.atMs);
}

export const isAgendaID = (text: string): boolean => /^a-[0-9a-f]{7}$/.test(text);

function planSessions(sessions: readonly AgendaSession[]): AgendaItem[] {
  const isNewest = findNewestTodos(sessions);
  return sessions.flatMap((session) => {
    const { live, removed, sessionID, stored } = session;
    const { ledger } = stored;
    const open = findOpenPoints(ledger, removed);
    const todos = open.todos.filter(({ content }) => isNewest(session, content));
    const question = open.answer && findQuestion(ledger);
    const from: Pick<AgendaItem, "instance" | "isBusy" | "session"> = {
      session: sessionID,
      ...(live && { instance: live.instance }),
      ...(live?.isBusy && { isBusy: true }),
    };
    const make = (kind: AgendaKind, text: string, atMs: number): AgendaItem => ({
      ...{ id: formatID(kind, sessionID, text), kind, text: short(text), atMs },
      ...from,
    });
    return [
      ...(open.request ? [make("request", open.request.text, open.request.at)] : []),
      ...(question !== undefined && open.answer ? [make("question", question, open.answer.at)] : []),
      ...todos.map(({ content, status }) => ({
        ...make("todo", content, ledger.todos?.at ?? 0),
        ...(status === "in_progress" && { isInProgress: true as const }),
      })),
      ...(open.next && question === undefined ? [make("next", open.next.text, open.next.at)] : []),
      ...(ledger.plan && isPlanOpen(session, hasOpenPoints({ ...open, todos }))
        ? [make("plan", ledger.plan.path, ledger.plan.at)]
        : []),
    ];
  });
}

/** Is the session's list the newest that names this todo? */
function findNewestTodos(
  sessions: readonly AgendaSession[],
): (session: AgendaSession, content: string) => boolean {
  const newest = new Map<string, AgendaSession>();
  const timeOf = ({ stored }: AgendaSession): number => stored.ledger.todos?.at ?? 0;
  for (const session of sessions)
    for (const { content } of session.stored.ledger.todos?.items ?? []) {
      const known = newest.get(foldSentence(content));
      if (!known || timeOf(known) < timeOf(session)) newest.set(foldSentence(content), session);
    }
  return (session, content) => newest.get(foldSentence(content)) === session;
}

function isPlanOpen({ removed, stored }: AgendaSession, hasOpen: boolean): boolean {
  const { changes, plan } = stored.ledger;
  if (!plan || removed.has(`plan:${plan.path}`)) return false;
  return hasOpen || !changes.some(({ at, path }) => at > plan.at && path !== plan.path);
}

const isOpenBlocker = (memory: Memory, nowMs: number): boolean =>
  memory.type === "blocker" && isActive(memory, nowMs);

function toBlocker({ content, id, isForeign, provenance, title, updated }: Memory): AgendaItem {
  const { session } = provenance;
  return {
    ...{ id: formatID("blocker", id, ""), kind: "blocker", text: short(content || title) },
    atMs: readTime(updated),
    ...(session !== undefined && { session }),
    ...(isForeign && { isForeign }),
  };
}

const toConflict = ({ found, id, title }: AgendaInput["conflicts"][number]): AgendaItem => ({
  ...{ id: formatID("conflict", id, found), kind: "conflict", text: short(`${title} (${id})`) },
  atMs: readTime(found),
});

function toHeld(lease: Lease): AgendaItem {
  const { item, sinceMs, why } = lease;
  return {
    ...{ id: formatID("held", item, ""), kind: "held", atMs: sinceMs, item, claim: toClaim(lease) },
    text: short(why === undefined ? item : `${item}, for ${JSON.stringify(why)}`),
  };
}

const toClaim = ({ instance, session, untilMs }: Lease): AgendaClaim => ({ instance, session, untilMs });

const formatID = (...parts: string[]): string =>
  `a-${createHash("sha256").update(parts.join("\n")).digest("hex").slice(0, 7)}`;

const readTime = (date: string): number => Date.parse(date) || 0;

const short = (text: string): string => toLine(text, LONGEST_TEXT);
