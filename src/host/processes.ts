import type { Clock } from "../seams/clock.js";

/** The processes of this machine, as far as they open sessions of our own. */
export interface Processes {
  /** Of the host that this plugin runs in. */
  readonly ownID: number;
  /**
   * May the process that had this id at this time still run? An id may be given to another process, so the answer
   * can be a wrong yes; in a container the host has the same id every time, so our own counts from our own start.
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

/** Is there a process of this id? */
export function canSignal(processID: number): boolean {
  try {
    process.kill(processID, 0);
    return true;
  } catch (thrown) {
    // It runs but belongs to somebody else.
    return (thrown as NodeJS.ErrnoException).code === "EPERM";
  }
}
