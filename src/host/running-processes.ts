/**
 * Whether the process that left its name somewhere still runs.
 *
 * An id alone does not tell: it is given to another process sooner or later, in a container the host has the same one
 * every time, and other containers and machines have processes of that id too. Where there is a /proc (Linux) a process
 * is told apart by the tick at which it began, and a machine by its name, its start and the beginning of its first
 * process, which differs between containers. Elsewhere the id has to do, and an id that was given away counts as running.
 *
 * Of a process that cannot be seen from here the last sign of life tells something where the clock is the same: in
 * another container of this kernel, and on this machine before it was started anew. One may be wrong about the latter,
 * since two machines can have one name; a shared disk then still shows the signs of the other one.
 */
import { hostname } from "node:os";
import { type Clock, processStart, systemClock } from "../seams/clock.js";
import { type Files, readText } from "../seams/files.js";
import { nodeFiles } from "../seams/node-files.js";
import type { ProcessIdentity, RunningProcesses } from "../seams/processes.js";
import { canSignal } from "./processes.js";

export interface RunningProcessesOptions {
  /** Where /proc is read. */
  files?: Pick<Files, "read">;
  clock?: Pick<Clock, "now">;
}

/** Deeper than shells are nested. */
const MOST_ANCESTORS = 30;
/** Nobody who lives and gives a sign every few seconds is silent for so long. */
const SILENT_MS = 60_000;
/** Nor, unless it hangs, for so long. */
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

  /** Is one that cannot be seen from here known to be gone, by its last sign of life? */
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

  /** What is not for us to read does not tell. */
  async function readProc(path: string): Promise<string | undefined> {
    return readText(files, `/proc/${path}`).catch(() => undefined);
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
