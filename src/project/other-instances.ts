/** The files of the other instances of a project. */

import { join } from "node:path";
import type { Clock } from "../io/clock.js";
import type { Files } from "../io/files.js";
import type { RunningProcesses } from "../io/processes.js";
import { type Instance, openInstanceFile } from "./instance.js";

/** Both reject with the system's error. */
export interface OtherInstances {
  look(): Promise<{ alive: Instance[]; ended: Instance[] }>;
  /** Removes the file of one that has ended. */
  remove(ended: Instance): Promise<void>;
}

export interface OtherInstancesOptions {
  clock: Clock;
  files: Files;
  folder: string;
  /** Of this instance. */
  id: string;
  processes: RunningProcesses;
}

export function createOtherInstances(options: OtherInstancesOptions): OtherInstances {
  const { clock, files, folder, id, processes } = options;
  const file = openInstanceFile(files);
  const liveness = createLiveness(clock, processes);

  return {
    async look() {
      const read = await Promise.all((await files.list(folder)).map(readOther));
      const known = read.filter((one) => one !== undefined);
      const isAlive = await Promise.all(known.map(liveness.isAlive));
      return {
        alive: known.filter((_, index) => isAlive[index]),
        ended: known.filter((_, index) => !isAlive[index]),
      };
    },

    remove: ({ id: ended }) => files.remove(join(folder, `${ended}.json`)),
  };

  async function readOther(name: string): Promise<Instance | undefined> {
    if (!name.endsWith(".json") || name === `${id}.json`) return undefined;
    const instance = await file.read(join(folder, name));
    // The id names the file that is removed.
    return instance && name === `${instance.id}.json` ? instance : undefined;
  }
}

/*
 * Which instances are alive. If its process is known to run, an instance is alive however long it has been silent; if the
 * process is known to have ended, it is not. On another machine neither is known: an instance counts as alive until this
 * one has seen no heartbeat for three minutes. A timer measures these, and a heartbeat is only compared with itself, so
 * that a wrong or jumping clock makes no instance look dead.
 */

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
