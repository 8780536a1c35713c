/**
 * Tells whether a process that recorded its identity still runs.
 *
 * A process id alone is not enough: ids are reused, in a container the host always has the same one, and other
 * containers and machines use the same ids. With /proc (Linux) the start tick identifies a process; host name, boot id
 * and the start tick of process 1, which differs between containers, identify a machine. Without /proc only the id
 * counts, and a reused id counts as running.
 *
 * A process that is not visible from here is judged by its last sign of life where the clock is the same: in another
 * container of this kernel, and on this machine before its last boot. The latter can be wrong, since two machines can
 * share a name; then signs of life on the shared disk still show that the other one runs.
 */
import { hostname } from "node:os";
import { type Clock, processStart, systemClock } from "./clock.js";
import { type Files, readText } from "./files.js";
import type { ProcessIdentity, RunningProcesses } from "./holders.js";
import { nodeFiles } from "./node-files.js";

export interface RunningProcessesOptions {
  /** Reads /proc. */
  files?: Pick<Files, "read">;
  clock?: Pick<Clock, "now">;
}

/** More than shells are ever nested. */
const MOST_ANCESTORS = 30;
/** A live process gives a sign every few seconds, so this much silence means it has ended. */
const SILENT_MS = 60_000;
/** The same after a reboot; only a hanging process is silent for this long. */
const SILENT_SINCE_BOOT_MS = 15_000;
const BOOT_ID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;

export function createRunningProcesses({
  files = nodeFiles,
  clock = systemClock,
}: RunningProcessesOptions = {}): RunningProcesses {
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

    async isRunning(identity, signMs) {
      const { id, machine, start } = identity;
      const mine = await own();
      if (machine !== mine.machine) return (await hasEndedUnseen(identity, signMs)) ? false : undefined;
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

  /** Whether the last sign of life proves that a process not visible from here has ended. */
  async function hasEndedUnseen({ host, machine }: ProcessIdentity, signMs?: number): Promise<boolean> {
    if (signMs === undefined) return false;
    const mine = await own();
    const [boot, myBoot] = [machine, mine.machine].map((name) => BOOT_ID.exec(name)?.[0]);
    if (boot === undefined || myBoot === undefined) return false;
    const silentMs = clock.now() - signMs;
    if (boot === myBoot) return silentMs >= SILENT_MS;
    const bootedMs = host === mine.host ? await readBootTime() : undefined;
    return bootedMs !== undefined && signMs < bootedMs && silentMs >= SILENT_SINCE_BOOT_MS;
  }

  /** `btime` in /proc/stat: proc_stat(5). */
  async function readBootTime(): Promise<number | undefined> {
    const seconds = /^btime (\d+)$/m.exec((await readProc("stat")) ?? "")?.[1];
    return seconds === undefined ? undefined : Number(seconds) * 1_000;
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

/** Processes of this machine that may have opened our own sessions. */
export interface Processes {
  /** ID of the host process that runs this plugin. */
  readonly ownID: number;
  /**
   * Whether the process that had this id at `sinceMs` may still run. Ids are reused, so `true` can be wrong. In a
   * container the host always has the same id, so our own id counts only since our own start.
   */
  isRunning(processID: number | undefined, sinceMs: number): boolean;
}

export function createProcesses(clock: Clock): Processes {
  const startedMs = clock.now() - process.uptime() * 1_000;
  return {
    ownID: process.pid,
    isRunning(processID, sinceMs) {
      if (processID === undefined) return true;
      if (processID === process.pid) return sinceMs >= startedMs;
      return canSignal(processID);
    },
  };
}

/** Whether a process with this id exists. */
export function canSignal(processID: number): boolean {
  try {
    process.kill(processID, 0);
    return true;
  } catch (thrown) {
    // It exists but belongs to another user.
    return (thrown as NodeJS.ErrnoException).code === "EPERM";
  }
}
