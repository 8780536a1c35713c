/**
 * Which instances live. One whose process is known to run lives, however long it has been silent; one whose process is
 * known to have ended does not. Of one on another machine neither is known: it lives until its heartbeat has stood
 * still while this instance looked on for three minutes. They are measured by a timer and the heartbeat is only
 * compared with itself, so that no clock that jumps or is wrong makes anybody look dead.
 */
import type { Clock } from "../seams/clock.js";
import type { RunningProcesses } from "../seams/processes.js";
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
