/** The agenda, gathered and for people. Changes nothing except the leases of `claim` and `release`. */

import { DAY_MS } from "../../../src/base/days.js";
import { StrataError } from "../../../src/base/error.js";
import { formatAge } from "../../../src/base/format.js";
import { hashOf } from "../../../src/base/hash.js";
import { foldSentence, toLine } from "../../../src/base/text.js";
import type { LayerContext } from "../../../src/kernel/layer-context.js";
import { isActive, type Memory } from "../../../src/memory/memory.js";
import { findOpenPoints, findQuestion, hasOpenPoints } from "../../../src/notes/handoff.js";
import { listNewestSessions, type ReadSession, readSession } from "../../../src/notes/session-files.js";
import { type Instance, type Lease, LONGEST_LEASE_MS, PERSON } from "../../../src/project/instances.js";
import { formatLease, type LeaseOutcome, type Leases } from "../leases/leases.js";

interface AgendaOptions extends Pick<LayerContext, "clock" | "files" | "sessions"> {
  folders: { memory: string; sessionMemory: string };
  leases: Pick<Leases, "claim" | "list" | "release">;
  listMemories(): Promise<readonly Memory[]>;
  living(): Promise<readonly Instance[]>;
}

export type Agenda = ReturnType<typeof createAgenda>;

/** Maximum number of sessions to read, newest first; older ones are unlikely to be continued. */
const LOOKED_INTO = 200;
const LONGEST_WHY = 80;

/** Every call rejects with the system's error. */
export function createAgenda(options: AgendaOptions) {
  const { clock, leases } = options;
  return {
    read,

    /** Claims an item for the session, for eight hours at most, which is the default. @throws StrataError NO_ITEM, TAKEN */
    async claim(id: string, session: string, forMs = LONGEST_LEASE_MS): Promise<AgendaItem> {
      const item = await find(id);
      const why = item.item === undefined ? { why: item.text.slice(0, LONGEST_WHY) } : {};
      return settle(item, await leases.claim(item.item ?? id, { session, forMs, ...why }));
    },

    /** @throws StrataError NO_ITEM, TAKEN */
    async release(id: string, session: string): Promise<AgendaItem> {
      const item = await find(id);
      return settle(item, await leases.release(item.item ?? id, { session }));
    },
  };

  async function read(): Promise<AgendaItem[]> {
    const memories = await options.listMemories();
    const sessions = await readSessions(options);
    return planAgenda({ sessions, memories, leases: await leases.list(), nowMs: clock.now() });
  }

  async function find(id: string): Promise<AgendaItem> {
    const item = (await read()).find((one) => one.id === id);
    if (item) return item;
    throw new StrataError(
      "NO_ITEM",
      `nothing open has the id ${JSON.stringify(id)}; the agenda lists the ids`,
    );
  }
}

function settle(item: AgendaItem, outcome: LeaseOutcome): AgendaItem {
  const how = "A person may release it with strata agenda release";
  if (outcome.kind === "taken")
    throw new StrataError("TAKEN", `not yours: ${formatLease(outcome.by)}. ${how}`);
  if (outcome.kind !== "none") return item;
  throw new StrataError("NOT_CLAIMED", `${item.id} is not claimed, so there is nothing to release`);
}

async function readSessions(options: AgendaOptions): Promise<AgendaSession[]> {
  const { files, folders, living, sessions } = options;
  const folder = folders.sessionMemory;
  const live = new Map(
    (await living()).flatMap(({ id, sessions: open }) =>
      open.map((session) => [session.id, { instance: id, isBusy: session.state === "busy" }] as const),
    ),
  );
  const found: AgendaSession[] = [];
  for (const id of await listNewestSessions({ files, folder, sessions, most: LOOKED_INTO })) {
    const session = await readSession({ files, folder }, id);
    const running = live.get(id);
    if (session) found.push({ ...session, ...(running && { live: running }) });
  }
  return found;
}

/* For people. */

export const HEADINGS: Readonly<Record<AgendaKind, string>> = {
  request: "Unanswered requests",
  question: "Questions for you",
  todo: "Todos",
  next: "Announced, not done",
  plan: "Plans",
  blocker: "Blockers",
  held: "Claimed",
};

interface Shown {
  nowMs: number;
  /** Older items are only counted; `undefined` shows all. */
  days: number | undefined;
}

/** Items that are not too old. Items without a time, claimed items and blockers never are. */
export function findRecent(items: readonly AgendaItem[], { days, nowMs }: Shown): AgendaItem[] {
  if (days === undefined) return [...items];
  return items.filter(
    ({ atMs, claim, kind }) => claim || atMs === 0 || kind === "blocker" || nowMs - atMs <= days * DAY_MS,
  );
}

/** `command`: how a person claims an item, as in `/agenda claim`. */
export function formatAgenda(items: readonly AgendaItem[], options: Shown & { command: string }): string {
  const shown = findRecent(items, options);
  const older = items.length - shown.length;
  const left = older > 0 ? [`${older} older than ${options.days} days; --all shows them, too.`] : [];
  if (shown.length === 0) return ["Nothing is open.", ...left].join("\n");
  const kinds = [...new Set(shown.map(({ kind }) => kind))];
  const groups = kinds.flatMap((kind) => [
    `${HEADINGS[kind]}:`,
    ...shown.filter((item) => item.kind === kind).map((item) => formatItem(item, options.nowMs)),
  ]);
  return [
    ...groups,
    ...left,
    `${options.command} claim ID tells the others that it is yours; release ID gives it back.`,
  ].join("\n");
}

function formatItem(item: AgendaItem, nowMs: number): string {
  const { atMs, claim, id, instance, isBusy, isForeign, isInProgress, kind, session = "", text } = item;
  const open = instance === undefined ? "" : ` ${isBusy ? "at work" : "open"} in instance ${instance}`;
  const marks = [
    isInProgress && "in progress",
    isForeign && "from the repository, not said by you",
    kind !== "held" && `${session}${open}`,
    atMs > 0 && formatAge(atMs, nowMs),
    claim && formatClaim(claim),
  ].filter(Boolean);
  return `  ${id}  ${text}${marks.length === 0 ? "" : `  (${marks.join(", ")})`}`;
}

function formatClaim({ instance, session, untilMs }: NonNullable<AgendaItem["claim"]>): string {
  const who = instance === PERSON ? "you" : `${session} of instance ${instance}`;
  return `claimed by ${who} until ${new Date(untilMs).toISOString().slice(11, 16)} UTC`;
}

/* `/agenda`; loaded at the first use. */

/** Older items are only counted, unless `--all` is given. */
export const USUAL_DAYS = 30;

export async function answerAgenda(
  options: LayerContext & { leases: Leases },
  { sessionID, words }: { sessionID: string; words: string },
): Promise<string> {
  const { clock, instances, memories } = options;
  const agenda = createAgenda({ ...options, listMemories: memories.list, living: instances.living });
  const [action = "", id, ...more] = words.trim().split(/\s+/);
  if (action === "" || action === "--all") {
    const days = action === "" ? USUAL_DAYS : undefined;
    return formatAgenda(await agenda.read(), { nowMs: clock.now(), days, command: "/agenda" });
  }
  if ((action !== "claim" && action !== "release") || id === undefined || more.length > 0)
    throw new StrataError(
      "WRONG_WORDS",
      `expected nothing, --all, or claim or release and an id, "${words.trim()}" came. /agenda lists the ids`,
    );
  const item = await agenda[action](id, sessionID);
  return action === "claim" ? `Claimed for this session: ${item.text}` : `Released: ${item.text}`;
}

/*
 * The agenda: open work of a project, in all sessions of this machine and all instances.
 *
 *     request    the last request of a session, if unanswered
 *     question   the agent's last question, if unanswered
 *     todo       open in the newest list, of any session, that names it
 *     next       a step that a session announced but did not take
 *     plan       a plan without work since it was written, or of a session with open items
 *     blocker    an active memory of this type
 *     held       a lease on something else
 *
 * Pure. An item's id is made from its contents, so it stays the same from day to day.
 */

export const agendaKinds = ["request", "question", "todo", "next", "plan", "blocker", "held"] as const;
export type AgendaKind = (typeof agendaKinds)[number];

export interface AgendaItem {
  /** `a-` and 7 hexadecimal digits. */
  id: string;
  kind: AgendaKind;
  text: string;
  /** When it arose, in milliseconds since 1970; 0 if unknown. */
  atMs: number;
  session?: string;
  instance?: string;
  isBusy?: true;
  isInProgress?: true;
  /** Did it come with the repository? Then it is data, whatever it says. */
  isForeign?: true;
  item?: string;
  claim?: Pick<Lease, "instance" | "session" | "untilMs">;
}

export interface AgendaSession extends Pick<ReadSession, "removed" | "sessionID" | "stored"> {
  live?: { instance: string; isBusy: boolean };
}

export interface AgendaInput {
  sessions: readonly AgendaSession[];
  memories: readonly Memory[];
  leases: readonly Lease[];
  nowMs: number;
}

const LONGEST_TEXT = 200;
const ORDER = new Map(agendaKinds.map((kind, index) => [kind, index]));

export function planAgenda({ leases, memories, nowMs, sessions }: AgendaInput): AgendaItem[] {
  const blockers = memories.filter((memory) => memory.type === "blocker" && isActive(memory, nowMs));
  const items = [...planSessions(sessions), ...blockers.map(toBlocker)];
  const ids = new Set(items.map(({ id }) => id));
  const claims = new Map(leases.map((lease) => [lease.item, lease]));
  const claimed = items.map((item) => {
    const lease = claims.get(item.id);
    return lease ? { ...item, claim: lease } : item;
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
function findNewestTodos(sessions: readonly AgendaSession[]) {
  const newest = new Map<string, AgendaSession>();
  const timeOf = ({ stored }: AgendaSession): number => stored.ledger.todos?.at ?? 0;
  for (const session of sessions)
    for (const { content } of session.stored.ledger.todos?.items ?? []) {
      const known = newest.get(foldSentence(content));
      if (!known || timeOf(known) < timeOf(session)) newest.set(foldSentence(content), session);
    }
  return (session: AgendaSession, content: string): boolean => newest.get(foldSentence(content)) === session;
}

function isPlanOpen({ removed, stored }: AgendaSession, hasOpen: boolean): boolean {
  const { changes, plan } = stored.ledger;
  if (!plan || removed.has(`plan:${plan.path}`)) return false;
  return hasOpen || !changes.some(({ at, path }) => at > plan.at && path !== plan.path);
}

function toBlocker({ content, id, isForeign, provenance, title, updated }: Memory): AgendaItem {
  const { session } = provenance;
  return {
    ...{ id: formatID("blocker", id, ""), kind: "blocker", text: short(content || title) },
    atMs: Date.parse(updated) || 0,
    ...(session !== undefined && { session }),
    ...(isForeign && { isForeign }),
  };
}

function toHeld(lease: Lease): AgendaItem {
  const { item, sinceMs, why } = lease;
  return {
    ...{ id: formatID("held", item, ""), kind: "held", atMs: sinceMs, item, claim: lease },
    text: short(why === undefined ? item : `${item}, for ${JSON.stringify(why)}`),
  };
}

const formatID = (...parts: string[]): string => `a-${hashOf(parts.join("\n")).slice(0, 7)}`;

const short = (text: string): string => toLine(text, LONGEST_TEXT);
