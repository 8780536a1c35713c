import { each, integer, object, string } from "../shape.js";

/** The processes of this machine, so that one can tell whether the owner of a lock still runs. */
export interface RunningProcesses {
  /** The process that we run in. */
  own(): Promise<ProcessIdentity>;
  /**
   * Does it still run? `undefined` where that cannot be known: it runs, or ran, on another machine. `signMs`: when the
   * disk last had a sign of life of it, by which one of an earlier boot or an ended container is known. Never rejects.
   */
  isRunning(identity: ProcessIdentity, signMs?: number): Promise<boolean | undefined>;
  /** Ids of the processes that ours was started in, the nearest first; none where that cannot be known. Never rejects. */
  ancestors(): Promise<readonly number[]>;
}

/** Tells a process apart from every other one, on this machine and others, before and after a restart. */
export interface ProcessIdentity {
  id: number;
  /** When it began, as its own machine counts; the clock of the wall has no part in it. Only good for comparing. */
  start: string;
  /** For people. */
  host: string;
  /** The same for all processes that can see each other: not in another container, not after a restart. */
  machine: string;
}

export const isProcessIdentity = object<ProcessIdentity>({
  id: integer,
  ...each(string, "start", "host", "machine"),
});
