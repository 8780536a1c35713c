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
import { isRecord } from "../base/shape.js";
import type { Clock } from "../io/clock.js";
import type { Files } from "../io/files.js";
import type { RunningProcesses } from "../io/holders.js";
import type { Log } from "../io/log.js";
import { toLine } from "../text/text.js";
import type { Family } from "./family.js";
import {
  createOtherInstances,
  type Instance,
  type LiveSession,
  openInstanceFile,
} from "./other-instances.js";

export interface Instances {
  readonly ownID: string;
  readonly sessions: ReturnType<typeof createLiveSessions>;
  /** Makes this instance known; resolves when the others can see it. Rejects with the system's error. */
  join(): Promise<void>;
  /** Has the own sessions written down, soon. Never rejects. */
  refresh(): Promise<void>;
  /** Those that live, this one first. Rejects with the system's error. */
  living(): Promise<readonly Instance[]>;
  /** Rejects with the system's error. */
  leave(): Promise<void>;
}

export interface InstancesOptions {
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

export function createInstances(options: InstancesOptions): Instances {
  const { clock, directory, family, files, folder, id, log, processes } = options;
  const sessions = createLiveSessions(family);
  const others = createOtherInstances({ clock, files, folder, id, processes });
  const file = openInstanceFile(files);
  const path = join(folder, `${id}.json`);
  const started = formatTime();
  let joining: Promise<void> | undefined;
  let writing: Promise<void> = Promise.resolve();
  let lastFailure = "";
  let stopBeating = (): void => {};
  let hasLeft = false;

  return {
    ownID: id,
    sessions,
    living: async () => [await describe(), ...(await others.look()).alive],

    join() {
      joining ??= enter().catch((thrown) => {
        joining = undefined;
        throw thrown;
      });
      return joining;
    },

    refresh: () => tryNow(async () => (joining === undefined ? undefined : write())),

    async leave() {
      hasLeft = true;
      stopBeating();
      if (!joining) return;
      await writing.catch(() => {});
      await files.remove(path);
    },
  };

  async function enter(): Promise<void> {
    await write();
    beatLater();
    await tryNow(cleanUp);
  }

  function beatLater(): void {
    if (hasLeft) return;
    stopBeating = clock.after(BEAT_MS, () => {
      beatLater();
      void tryNow(async () => {
        await write();
        await cleanUp();
      });
    });
  }

  /** One after the other, so that the newest is what stays. */
  function write(): Promise<void> {
    writing = writing
      .catch(() => {})
      .then(async () => {
        if (!hasLeft) await file.write(path, await describe());
      });
    return writing;
  }

  async function describe(): Promise<Instance> {
    const process = await processes.own();
    return { v: 1, id, process, directory, started, heartbeat: formatTime(), sessions: sessions.list() };
  }

  async function cleanUp(): Promise<void> {
    for (const one of (await others.look()).ended) {
      await others.remove(one);
      log.info(SOURCE, `instance ${one.id} (process ${one.process.id} on ${one.process.host}) has ended`);
    }
  }

  /** What fails is tried again later; the same failure is logged once in a row. */
  async function tryNow(run: () => Promise<void>): Promise<void> {
    const failure = await run().then(() => "", formatError);
    if (failure !== lastFailure && failure !== "")
      log.warn(SOURCE, `${folder}, tried again later: ${failure}`);
    lastFailure = failure;
  }

  function formatTime(): string {
    return new Date(clock.now()).toISOString();
  }
}

/* Sessions of this instance that can receive messages: a subagent's while it works, others until they are deleted. */

/** Bounds the list for people who browse old sessions. */
const MOST_SESSIONS = 30;
const GOAL_CHARACTERS = 120;

/** Every change returns whether it changes the list. */
export function createLiveSessions(family: Pick<Family, "knownParent">) {
  /** Newest last. */
  const sessions = new Map<string, LiveSession>();

  return {
    /** Newest first. */
    list: (): LiveSession[] => [...sessions.values()].reverse(),
    find: (sessionID: string): LiveSession | undefined => sessions.get(sessionID),
    /** A turn begins. */
    begin: (sessionID: string): boolean =>
      put({ ...(sessions.get(sessionID) ?? name(sessionID)), state: "busy" }),

    /** Sets the user's last request. */
    setGoal(sessionID: string, goal: string | undefined): boolean {
      const known = sessions.get(sessionID);
      if (!known || goal === undefined) return false;
      return put({ ...known, goal: toLine(goal, GOAL_CHARACTERS) });
    },

    /** A session has ended. */
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
    sessions.delete(session.id);
    sessions.set(session.id, session);
    const [oldest = ""] = sessions.keys();
    if (sessions.size > MOST_SESSIONS) sessions.delete(oldest);
    return true;
  }

  function name(id: string): LiveSession {
    const parentID = family.knownParent(id);
    return { id, state: "busy", ...(parentID !== undefined && { parentID }) };
  }
}
