/**
 * Which instances are alive. If its process is known to run, an instance is alive however long it has been silent; if the
 * process is known to have ended, it is not. On another machine neither is known: an instance counts as alive until this
 * one has seen no heartbeat for three minutes. A timer measures these, and a heartbeat is only compared with itself, so
 * that a wrong or jumping clock makes no instance look dead.
 */
import type { Clock } from "../io/clock.js";
import type { RunningProcesses } from "../io/processes.js";
import type { Instance } from "./instance.js";

export interface Liveness {
  isAlive(instance: Instance): Promise<boolean>;
}

/** Six heartbeats. */
export const SILENT_MS = 180_000;

interface Sighting {
  heartbeat: string;
  isSilent: boolean;
}

export function createLiveness(clock: Clock, processes: RunningProcesses): Liveness {
  const sightings = new Map<string, Sighting>();
  return {
    async isAlive({ heartbeat, id, process }) {
      const isRunning = await processes.isRunning(process);
      if (isRunning !== undefined) return isRunning;
      const known = sightings.get(id);
      if (known?.heartbeat === heartbeat) return !known.isSilent;
      const sighting = { heartbeat, isSilent: false };
      sightings.set(id, sighting);
      clock.after(SILENT_MS, () => {
        sighting.isSilent = true;
      });
      return true;
    },
  };
}
