/**
 * Whether the process that left its name somewhere still runs.
 *
 * An id alone does not tell: it is given to another process sooner or later, in a container the host has the same one
 * every time, and other containers and machines have processes of that id too. Where there is a /proc (Linux) a process
 * is told apart by the tick at which it began, and a machine by its name, its start and the beginning of its first
 * process, which differs between containers. Elsewhere the id has to do, and an id that was given away counts as running.
 */
import { hostname } from "node:os";
import { processStart } from "../seams/clock.js";
import type { Files } from "../seams/files.js";
import { nodeFiles } from "../seams/node-files.js";
import type { ProcessIdentity, RunningProcesses } from "../seams/processes.js";
import { canSignal } from "./processes.js";

export interface RunningProcessesOptions {
  /** Where /proc is read. */
  files?: Pick<Files, "read">;
}

/** Deeper than shells are nested. */
const MOST_ANCESTORS = 30;

export function createRunningProcesses({
  files = nodeFiles,
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

    async isRunning({ id, start, machine }) {
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
      readText("/proc/sys/kernel/random/boot_id"),
      readStat(1),
      readStat(process.pid),
    ]);
    const machine = [host, boot?.trim(), first?.start].filter((part) => part !== undefined).join(" ");
    return { id: process.pid, start: self?.start ?? processStart, host, machine };
  }

  async function readStat(id: number): Promise<ProcessStat | undefined> {
    const text = await readText(`/proc/${id}/stat`);
    return text === undefined ? undefined : parseStat(text);
  }

  async function readText(path: string): Promise<string | undefined> {
    try {
      const bytes = await files.read(path);
      return bytes && new TextDecoder().decode(bytes);
    } catch {
      // Not for us to read: then it does not tell.
      return undefined;
    }
  }
}

interface ProcessStat {
  parent: number;
  start: string;
  /** Killed, and only its name is left until its parent has asked. */
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
