/** The files of the other instances of a project. */
import { join } from "node:path";
import {
  anyList,
  each,
  finite,
  isRecord,
  isVersion,
  list,
  matching,
  object,
  oneOf,
  optional,
  parseJson,
  parserOf,
  string,
} from "../base/shape.js";
import type { Clock } from "../io/clock.js";
import type { Files } from "../io/files.js";
import { isProcessIdentity, type ProcessIdentity, type RunningProcesses } from "../io/holders.js";
import { createStateFile, formatPage, type StateFile } from "../io/state-file.js";

/** Six heartbeats. */
export const SILENT_MS = 180_000;

/**
 * An instance is alive if its process is. If that cannot be told from here, on another machine, it is while its heartbeat
 * is less than three minutes old. `id` is that of this instance. Both calls reject with the system's error.
 */
export function createOtherInstances({
  clock,
  files,
  folder,
  id,
  processes,
}: {
  clock: Pick<Clock, "now">;
  files: Files;
  folder: string;
  id: string;
  processes: RunningProcesses;
}) {
  const file = openInstanceFile(files);

  return {
    async look(): Promise<{ alive: Instance[]; ended: Instance[] }> {
      const alive: Instance[] = [];
      const ended: Instance[] = [];
      for (const name of await files.list(folder)) {
        if (!name.endsWith(".json") || name === `${id}.json`) continue;
        const instance = await file.read(join(folder, name));
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

/** One line in the form that instances write. */
const isGoal = (value: unknown): value is string =>
  string(value) && value.length <= LONGEST_GOAL && !/\p{Cc}/u.test(value);

const isSession = object<LiveSession>({
  id: isName,
  parentID: optional(isName),
  goal: optional(isGoal),
  state: oneOf(["busy", "idle"]),
});
const isInstance = object<Instance>({
  v: isVersion,
  id: isName,
  process: isProcessIdentity,
  ...each(string, "directory", "started", "heartbeat"),
  sessions: list(isSession),
});

/** `undefined` for an incomplete or foreign file. */
export const parseInstance = (text: string): Instance | undefined => parserOf(isInstance)(parseJson(text));

export const formatInstance = (instance: Instance): string => formatPage(instance);

/** Reads `undefined` for an invalid file. */
export function openInstanceFile(files: Files): StateFile<Instance, undefined> {
  return createStateFile({ files, parse: parseInstance, format: formatInstance, fresh: undefined });
}

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
const LONGEST_PATH = 4_096;

/** On one line, because agents and people are shown text from the file. */
const isItem = (value: unknown): value is string =>
  string(value) && value.length <= LONGEST_PATH && !/[\p{Cc}\u2028\u2029]/u.test(value);
const isWhy = (value: unknown): value is string => string(value) && value.length <= LONGEST_WHY;

const isLease = object<Lease>({
  item: isItem,
  ...each(isName, "instance", "session"),
  why: optional(isWhy),
  ...each(finite, "sinceMs", "untilMs"),
});
