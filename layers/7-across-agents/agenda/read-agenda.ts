/** Gathers the agenda. Changes nothing except the leases of `claim` and `release`. */
import { StrataError } from "../../../src/base/error.js";
import type { Clock } from "../../../src/io/clock.js";
import type { Files } from "../../../src/io/files.js";
import { isSettled } from "../../../src/memory/conflict.js";
import type { Memory } from "../../../src/memory/memory.js";
import { readConflictRecords } from "../../../src/memory/store/conflict-log.js";
import { listNewestSessions, readSession } from "../../../src/notes/checkpoints/read-session.js";
import { type Instance, LONGEST_LEASE_MS } from "../../../src/project/other-instances.js";
import type { SeenSessions } from "../../../src/project/own.js";
import { formatLease } from "../leases/lease-tool.js";
import type { Leases } from "../leases/leases.js";
import { type AgendaItem, type AgendaSession, planAgenda } from "./plan-agenda.js";

export interface AgendaOptions {
  clock: Clock;
  files: Files;
  folders: { memory: string; sessionMemory: string };
  sessions: Pick<SeenSessions, "filter">;
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
      const why = item.text.slice(0, LONGEST_WHY);
      const outcome = await leases.claim(item.item ?? id, {
        session,
        forMs,
        ...(item.item === undefined && { why }),
      });
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
    return planAgenda({
      sessions: await readSessions(options),
      memories,
      conflicts: records.filter((record) => !isSettled(record, memories)),
      leases: await leases.list(),
      nowMs: clock.now(),
    });
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
  new StrataError("TAKEN", `not yours: ${why}. A person may release it with strata lease release`);

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
