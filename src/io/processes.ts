import { each, integer, object, string } from "../base/shape.js";

/** The processes of this machine: tells whether the owner of a lock still runs. */
export interface RunningProcesses {
  /** Identity of our process. */
  own(): Promise<ProcessIdentity>;
  /**
   * Whether it still runs; `undefined` if unknown: it runs, or ran, on another machine. `signMs`: time of its last sign
   * of life on disk, which reveals a process of an earlier boot or an ended container. Never rejects.
   */
  isRunning(identity: ProcessIdentity, signMs?: number): Promise<boolean | undefined>;
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
