/** The agenda, gathered and for people. Changes nothing except the leases of `claim` and `release`. */
import { DAY_MS } from "../../../src/base/days.js";
import { StrataError } from "../../../src/base/error.js";
import { formatAge } from "../../../src/base/format.js";
import type { LayerContext } from "../../../src/kernel/layer-context.js";
import { isSettled } from "../../../src/memory/conflict.js";
import type { Memory } from "../../../src/memory/memory.js";
import { readConflictRecords } from "../../../src/memory/store/conflict-log.js";
import { listNewestSessions, readSession } from "../../../src/notes/session-files.js";
import { type Instance, LONGEST_LEASE_MS, PERSON } from "../../../src/project/other-instances.js";
import { formatLease, type Leases } from "../leases/leases.js";
import { type AgendaItem, type AgendaKind, type AgendaSession, planAgenda } from "./plan-agenda.js";

export interface AgendaOptions extends Pick<LayerContext, "clock" | "files" | "sessions"> {
  folders: { memory: string; sessionMemory: string };
  leases: Pick<Leases, "claim" | "list" | "release">;
  /** All readable memories. */
  listMemories(): Promise<readonly Memory[]>;
  /** The living instances. */
  living(): Promise<readonly Instance[]>;
}

export interface Agenda {
  /** Rejects with the system's error. */
  read(): Promise<AgendaItem[]>;
  /** Claims an item for the session, for eight hours at most, which is the default. @throws StrataError NO_ITEM, TAKEN */
  claim(id: string, session: string, forMs?: number): Promise<AgendaItem>;
  /** @throws StrataError NO_ITEM, TAKEN */
  release(id: string, session: string): Promise<AgendaItem>;
}

/** Maximum number of sessions to read, newest first; older ones are unlikely to be continued. */
const LOOKED_INTO = 200;
/** Maximum length of the item's text in the list of leases, in characters. */
const LONGEST_WHY = 80;

export function createAgenda(options: AgendaOptions): Agenda {
  const { clock, leases } = options;
  return {
    read,

    async claim(id, session, forMs = LONGEST_LEASE_MS) {
      const item = await find(id);
      const why = item.item === undefined ? { why: item.text.slice(0, LONGEST_WHY) } : {};
      const outcome = await leases.claim(item.item ?? id, { session, forMs, ...why });
      if (outcome.kind === "taken") throw taken(formatLease(outcome.by));
      return item;
    },

    async release(id, session) {
      const item = await find(id);
      const outcome = await leases.release(item.item ?? id, { session });
      if (outcome.kind === "taken") throw taken(formatLease(outcome.by));
      if (outcome.kind === "none")
        throw new StrataError("NOT_CLAIMED", `${id} is not claimed, so there is nothing to release`);
      return item;
    },
  };

  async function read(): Promise<AgendaItem[]> {
    const memories = await options.listMemories();
    const records = await readConflictRecords(options.files, options.folders.memory);
    const conflicts = records.filter((record) => !isSettled(record, memories));
    const sessions = await readSessions(options);
    return planAgenda({ sessions, memories, conflicts, leases: await leases.list(), nowMs: clock.now() });
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

const taken = (why: string): StrataError =>
  new StrataError("TAKEN", `not yours: ${why}. A person may release it with strata agenda release`);

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
  conflict: "Conflicting memories",
  held: "Claimed",
};

export interface FormatAgendaOptions {
  nowMs: number;
  /** Older items are only counted; `undefined` shows all. */
  days: number | undefined;
  /** How a person claims an item, as in `/agenda claim`. */
  command: string;
}

/** Items that are not too old. Items without a time, claimed items, blockers and conflicts never are. */
export function findRecent(
  items: readonly AgendaItem[],
  { days, nowMs }: Pick<FormatAgendaOptions, "days" | "nowMs">,
): AgendaItem[] {
  if (days === undefined) return [...items];
  return items.filter(
    ({ atMs, claim, kind }) =>
      claim || atMs === 0 || kind === "blocker" || kind === "conflict" || nowMs - atMs <= days * DAY_MS,
  );
}

export function formatAgenda(items: readonly AgendaItem[], options: FormatAgendaOptions): string {
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
  const { atMs, id, isForeign, isInProgress, text } = item;
  const marks = [
    ...(isInProgress ? ["in progress"] : []),
    ...(isForeign ? ["from the repository, not said by you"] : []),
    ...formatOwner(item),
    ...(atMs > 0 ? [formatAge(atMs, nowMs)] : []),
    ...formatClaim(item),
  ];
  return `  ${id}  ${text}${marks.length === 0 ? "" : `  (${marks.join(", ")})`}`;
}

function formatOwner({ instance, isBusy, kind, session }: AgendaItem): string[] {
  if (session === undefined || kind === "held") return [];
  if (instance === undefined) return [session];
  return [`${session} ${isBusy ? "at work" : "open"} in instance ${instance}`];
}

function formatClaim({ claim }: AgendaItem): string[] {
  if (!claim) return [];
  const { instance, session, untilMs } = claim;
  const who = instance === PERSON ? "you" : `${session} of instance ${instance}`;
  return [`claimed by ${who} until ${new Date(untilMs).toISOString().slice(11, 16)} UTC`];
}

/* `/agenda`; loaded at the first use. */

export interface AgendaAnswerOptions
  extends Pick<LayerContext, "clock" | "files" | "folders" | "instances" | "memories" | "sessions"> {
  leases: Leases;
}

/** Older items are only counted, unless `--all` is given. */
export const USUAL_DAYS = 30;

export async function answerAgenda(
  options: AgendaAnswerOptions,
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
