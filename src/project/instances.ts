/**
 * The instances of one project, each with a file of its own in `<state>/instances/<id>.json`.
 *
 *     join       with the first turn: nothing is written before it
 *     beat       every thirty seconds, and when its sessions have changed: the file is written anew
 *     clean up   when it joins and with every beat: files of those who have ended, whose leases count no more
 *     leave      at the end, which may not come
 *
 * Nobody writes to another's file; one that was removed although its owner lives is there again with the next beat.
 */
import { join } from "node:path";
import { formatError } from "../base/error.js";
import {
  anyList,
  each,
  finite,
  isRecord,
  isVersion,
  keepLast,
  list,
  matching,
  object,
  oneOf,
  optional,
  parseJson,
  parserOf,
  string,
} from "../base/shape.js";
import { toLine } from "../base/text.js";
import type { Clock } from "../io/clock.js";
import type { Files } from "../io/files.js";
import type { Log } from "../io/log.js";
import { isProcessIdentity, type ProcessIdentity, type RunningProcesses } from "../io/running-processes.js";
import { formatPage, readState } from "../io/state-file.js";
import type { Family } from "./family.js";

export type Instances = ReturnType<typeof createInstances>;

interface InstancesOptions {
  clock: Clock;
  family: Pick<Family, "knownParent">;
  files: Files;
  log: Log;
  processes: RunningProcesses;
  folder: string;
  /** Of this instance. */
  id: string;
  directory: string;
}

export const BEAT_MS = 30_000;
const SOURCE = "instances";

export function createInstances(options: InstancesOptions) {
  const { clock, directory, family, files, folder, id, log, processes } = options;
  const sessions = createLiveSessions(family);
  const others = createOtherInstances({ clock, files, folder, id, processes });
  const path = join(folder, `${id}.json`);
  const started = formatTime();
  let joining: Promise<void> | undefined;
  let writing: Promise<void> = Promise.resolve();
  let stopBeating = (): void => {};
  let hasLeft = false;
  let edits: readonly FileEdit[] = [];

  return {
    ownID: id,
    sessions,
    /** Recent edits by this instance. */
    edits: (): readonly FileEdit[] => edits,

    /** Replaces the recent edits; resolves when the others can see them. Rejects with the system's error. */
    async setEdits(recent: readonly FileEdit[]): Promise<void> {
      edits = recent;
      await (joining ? write() : announce());
    },

    /** Those that live, this one first. Rejects with the system's error. */
    living: async (): Promise<readonly Instance[]> => [await describe(), ...(await others.look()).alive],

    /** Makes this instance known; resolves when the others can see it. Rejects with the system's error. */
    join: announce,

    /** Has the own sessions written down, soon. Never rejects. */
    refresh: (): Promise<void> => tryNow(async () => (joining === undefined ? undefined : write())),

    /** Rejects with the system's error. */
    async leave(): Promise<void> {
      hasLeft = true;
      stopBeating();
      if (!joining) return;
      await writing.catch(() => {});
      await files.remove(path);
    },
  };

  function announce(): Promise<void> {
    joining ??= enter().catch((thrown) => {
      joining = undefined;
      throw thrown;
    });
    return joining;
  }

  async function enter(): Promise<void> {
    await write();
    beatLater();
    await tryNow(() => cleanUp(others, log));
  }

  function beatLater(): void {
    if (hasLeft) return;
    stopBeating = clock.after(BEAT_MS, () => {
      beatLater();
      void tryNow(async () => {
        await write();
        await cleanUp(others, log);
      });
    });
  }

  /** One after the other, so that the newest is what stays. */
  function write(): Promise<void> {
    writing = writing
      .catch(() => {})
      .then(async () => {
        const page = formatPage(await describe());
        if (!hasLeft) await files.writeWhole(path, page, { mode: "remade" });
      });
    return writing;
  }

  async function describe(): Promise<Instance> {
    const process = await processes.own();
    return {
      ...{ v: 1, id, process, directory, started, heartbeat: formatTime(), sessions: sessions.list() },
      ...(edits.length > 0 && { edits }),
    };
  }

  async function tryNow(run: () => Promise<void>): Promise<void> {
    await run().catch((thrown) => log.warn(SOURCE, `${folder}, tried again later: ${formatError(thrown)}`));
  }

  function formatTime(): string {
    return new Date(clock.now()).toISOString();
  }
}

async function cleanUp(others: ReturnType<typeof createOtherInstances>, log: Log): Promise<void> {
  for (const one of (await others.look()).ended) {
    await others.remove(one);
    log.info(SOURCE, `instance ${one.id} (process ${one.process.id} on ${one.process.host}) has ended`);
  }
}

/* Sessions of this instance that can receive messages: a subagent's while it works, others until they are deleted. */

/** Bounds the list for people who browse old sessions. */
const MOST_SESSIONS = 30;
const GOAL_CHARACTERS = 120;

/** Every change returns whether it changes the list. */
function createLiveSessions(family: Pick<Family, "knownParent">) {
  /** Newest last. */
  const sessions = new Map<string, LiveSession>();

  return {
    /** Newest first. */
    list: (): LiveSession[] => [...sessions.values()].reverse(),
    find: (sessionID: string): LiveSession | undefined => sessions.get(sessionID),
    begin: (sessionID: string): boolean =>
      put({ ...(sessions.get(sessionID) ?? name(sessionID)), state: "busy" }),

    /** Sets the user's last request. */
    setGoal(sessionID: string, goal: string | undefined): boolean {
      const known = sessions.get(sessionID);
      if (!known || goal === undefined) return false;
      return put({ ...known, goal: toLine(goal, GOAL_CHARACTERS) });
    },

    end: (sessionID: string): boolean => sessions.delete(sessionID),

    /** Learns from an event of the host. */
    onEvent(type: string, { sessionID, info }: Readonly<Record<string, unknown>>): boolean {
      if (type === "session.deleted") return isRecord(info) && sessions.delete(String(info.id));
      const known = type === "session.idle" ? sessions.get(String(sessionID)) : undefined;
      if (!known) return false;
      if (known.parentID !== undefined) return sessions.delete(known.id);
      return put({ ...known, state: "idle" });
    },
  };

  function put(session: LiveSession): boolean {
    const known = sessions.get(session.id);
    if (known && known.goal === session.goal && known.state === session.state) return false;
    keepLast(sessions, session.id, session, MOST_SESSIONS);
    return true;
  }

  function name(id: string): LiveSession {
    const parentID = family.knownParent(id);
    return { id, state: "busy", ...(parentID !== undefined && { parentID }) };
  }
}

/* The files of the other instances of a project. */

type OthersOptions = Pick<InstancesOptions, "files" | "folder" | "id" | "processes"> & {
  clock: Pick<Clock, "now">;
};

/** Six heartbeats. */
export const SILENT_MS = 180_000;

/**
 * An instance is alive if its process is. If that cannot be told from here, on another machine, it is while its heartbeat
 * is less than three minutes old. `id` is that of this instance. Both calls reject with the system's error.
 */
export function createOtherInstances({ clock, files, folder, id, processes }: OthersOptions) {
  return {
    async look(): Promise<{ alive: Instance[]; ended: Instance[] }> {
      const alive: Instance[] = [];
      const ended: Instance[] = [];
      for (const name of await files.list(folder)) {
        if (!name.endsWith(".json") || name === `${id}.json`) continue;
        const instance = await readState(files, join(folder, name), parseValue);
        // The id names the file that is removed.
        if (instance && name === `${instance.id}.json`)
          ((await isAlive(instance)) ? alive : ended).push(instance);
      }
      return { alive, ended };
    },

    /** Removes the file of one that has ended. */
    remove: ({ id: ended }: Instance) => files.remove(join(folder, `${ended}.json`)),
  };

  async function isAlive({ heartbeat, process }: Instance): Promise<boolean> {
    const isRunning = await processes.isRunning(process);
    return isRunning ?? clock.now() - Date.parse(heartbeat) < SILENT_MS;
  }
}

/** A running plugin in a project, as others see it: the contents of its file. */
export interface Instance {
  v: 1;
  id: string;
  process: ProcessIdentity;
  /** Working directory of its agents. */
  directory: string;
  /** ISO date-times. */
  started: string;
  heartbeat: string;
  /** Last used sessions, newest first. */
  sessions: LiveSession[];
  /** Files that it has edited lately, or is about to. */
  edits?: readonly FileEdit[];
}

export interface FileEdit {
  /** Relative to the project, or absolute outside it. */
  path: string;
  at: number;
  session: string;
  /** Id of the call that makes it. */
  call: string;
}

/** A session that can receive messages. */
export interface LiveSession {
  id: string;
  /** Set for a subagent. */
  parentID?: string;
  /** The user's last request, on one line. */
  goal?: string;
  state: "busy" | "idle";
}

/** An ID, not prose: what is read from these files is shown to agents and people. */
export const isName = matching(/^[\w-]{1,100}$/);

/** Prefix of the instance ids of MCP clients: others see them and their claims, but they read no messages. */
export const CLIENT_PREFIX = "mcp-";

const LONGEST_GOAL = 200;
const LONGEST_PATH = 4_096;

/** On one line, because agents and people are shown text from the file. */
const isItem = (value: unknown): value is string =>
  string(value) && value.length <= LONGEST_PATH && !/[\p{Cc}\u2028\u2029]/u.test(value);

/** One line in the form that instances write. */
const isGoal = (value: unknown): value is string =>
  string(value) && value.length <= LONGEST_GOAL && !/\p{Cc}/u.test(value);

const isSession = object<LiveSession>({
  id: isName,
  parentID: optional(isName),
  goal: optional(isGoal),
  state: oneOf(["busy", "idle"]),
});
const isEdit = object<FileEdit>({ path: isItem, at: finite, session: isName, call: string });
const isInstance = object<Instance>({
  v: isVersion,
  id: isName,
  process: isProcessIdentity,
  ...each(string, "directory", "started", "heartbeat"),
  sessions: list(isSession),
  edits: optional(list(isEdit)),
});

const parseValue = parserOf(isInstance);
/** `undefined` for an incomplete or foreign file. */
export const parseInstance = (text: string): Instance | undefined => parseValue(parseJson(text));

/** For people and models: the session, its instance, state and goal. */
export function formatSession({ id, goal, state }: LiveSession, instanceID: string): string {
  return `${id} (instance ${instanceID}, ${state}${goal === undefined ? "" : `, "${goal}"`})`;
}

export interface Lease {
  item: string;
  instance: string;
  session: string;
  /** Purpose, in a few words. */
  why?: string;
  /** Milliseconds since 1970. */
  sinceMs: number;
  untilMs: number;
}

export const LONGEST_LEASE_MS = 8 * 3_600_000;

/** Instance and session of leases that a person took on the command line. They last until they expire. */
export const PERSON = "person";

/** The leases in force: not expired, and from a running instance. */
export function findHeld(
  leases: readonly Lease[],
  { living, nowMs }: { living: ReadonlySet<string>; nowMs: number },
): Lease[] {
  return leases.filter(
    ({ instance, untilMs }) => (instance === PERSON || living.has(instance)) && !hasExpired(untilMs, nowMs),
  );
}

/** Parses the table in a file; entries that are not leases are ignored. */
export function parseLeases(text: string): Lease[] {
  const value = parseJson(text);
  return isRecord(value) && anyList(value.leases) ? value.leases.filter(isLease) : [];
}

/** A lease beyond the maximum duration counts as expired, so that after a clock change none lasts forever. */
function hasExpired(untilMs: number, nowMs: number): boolean {
  return nowMs >= untilMs || untilMs - nowMs > LONGEST_LEASE_MS;
}

/** Maximum lengths of what an agent or a person may write, in characters; paths are written in full. */
export const LONGEST_ITEM = 500;
export const LONGEST_WHY = 200;
const isWhy = (value: unknown): value is string => string(value) && value.length <= LONGEST_WHY;

const isLease = object<Lease>({
  item: isItem,
  ...each(isName, "instance", "session"),
  why: optional(isWhy),
  ...each(finite, "sinceMs", "untilMs"),
});
