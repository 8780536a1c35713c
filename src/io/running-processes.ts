/**
 * Tells whether a process that recorded its identity still runs.
 *
 * A process id alone is not enough: ids are reused, in a container the host always has the same one, and other
 * containers and machines use the same ids. With /proc (Linux) the start tick identifies a process; host name, boot id
 * and the start tick of process 1, which differs between containers, identify a machine. Without /proc only the id
 * counts, and a reused id counts as running.
 */
import { hostname } from "node:os";
import { each, integer, object, string } from "../base/shape.js";
import { type Clock, processStart } from "./clock.js";
import { type Files, readText } from "./files.js";
import { nodeFiles } from "./node-files.js";

/** The processes of this machine: tells whether the owner of a lock still runs. */
export interface RunningProcesses {
  own(): Promise<ProcessIdentity>;
  /** Whether it still runs; `undefined` if unknown: it runs, or ran, on another machine. Never rejects. */
  isRunning(identity: ProcessIdentity): Promise<boolean | undefined>;
  /** Ids of our parent processes, nearest first; empty if unknown. Never rejects. */
  ancestors(): Promise<readonly number[]>;
}

/** Identifies a process uniquely across machines and restarts. */
export interface ProcessIdentity {
  id: number;
  /** Start time by its machine's own counter, independent of the wall clock. Only for comparison. */
  start: string;
  /** For people. */
  host: string;
  /** Shared by processes that can see each other: differs between containers and after a restart. */
  machine: string;
}

export const isProcessIdentity = object<ProcessIdentity>({
  id: integer,
  ...each(string, "start", "host", "machine"),
});

/** More than shells are ever nested. */
const MOST_ANCESTORS = 30;
/** `files` reads /proc. */
export function createRunningProcesses(files: Pick<Files, "read"> = nodeFiles): RunningProcesses {
  let known: Promise<ProcessIdentity> | undefined;
  return {
    own,

    async ancestors() {
      const above: number[] = [];
      for (let id = process.ppid; id > 1 && above.length < MOST_ANCESTORS; ) {
        above.push(id);
        id = (await readStat(id))?.parent ?? 0;
      }
      return above;
    },

    async isRunning({ id, machine, start }) {
      const mine = await own();
      if (machine !== mine.machine) return undefined;
      if (id === mine.id) return start === mine.start;
      if (!canSignal(id)) return false;
      const stat = await readStat(id);
      return !stat || (stat.start === start && !stat.hasEnded);
    },
  };

  function own(): Promise<ProcessIdentity> {
    known ??= identify();
    return known;
  }

  async function identify(): Promise<ProcessIdentity> {
    const host = hostname();
    const [boot, first, self] = await Promise.all([
      readProc("sys/kernel/random/boot_id"),
      readStat(1),
      readStat(process.pid),
    ]);
    const machine = [host, boot?.trim(), first?.start].filter((part) => part !== undefined).join(" ");
    return { id: process.pid, start: self?.start ?? processStart, host, machine };
  }

  async function readStat(id: number): Promise<ProcessStat | undefined> {
    const text = await readProc(`${id}/stat`);
    return text === undefined ? undefined : parseStat(text);
  }

  /** `undefined` if the file is missing or unreadable. */
  async function readProc(path: string): Promise<string | undefined> {
    return readText(files, `/proc/${path}`).catch(() => undefined);
  }
}

interface ProcessStat {
  parent: number;
  start: string;
  /** A zombie: ended, but not yet reaped by its parent. */
  hasEnded: boolean;
}

/** `pid (name, which may hold anything) state …`, with the start as the 22nd field: proc_pid_stat(5). */
function parseStat(text: string): ProcessStat | undefined {
  const [state, parent, ...rest] = text
    .slice(text.lastIndexOf(")") + 1)
    .trim()
    .split(" ");
  const start = rest[17];
  if (start === undefined) return undefined;
  return { start, parent: Number(parent), hasEnded: state === "Z" || state === "X" };
}

export type Processes = ReturnType<typeof createProcesses>;

/** Processes of this machine that may have opened our own sessions. */
export function createProcesses(clock: Clock) {
  const startedMs = clock.now() - process.uptime() * 1_000;
  return {
    /** ID of the host process that runs this plugin. */
    ownID: process.pid,
    /**
     * Whether the process that had this id at `sinceMs` may still run. Ids are reused, so `true` can be wrong. In a
     * container the host always has the same id, so our own id counts only since our own start.
     */
    isRunning(processID: number | undefined, sinceMs: number): boolean {
      if (processID === undefined) return true;
      if (processID === process.pid) return sinceMs >= startedMs;
      return canSignal(processID);
    },
  };
}

function canSignal(processID: number): boolean {
  try {
    process.kill(processID, 0);
    return true;
  } catch (thrown) {
    // It exists but belongs to another user.
    return (thrown as NodeJS.ErrnoException).code === "EPERM";
  }
}
