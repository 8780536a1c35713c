import type { Clock } from "./clock.js";

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
