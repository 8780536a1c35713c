import type { ProcessIdentity, RunningProcesses } from "../../src/seams/processes.js";

export interface FakeProcesses extends RunningProcesses {
  /** Ids of the processes of this machine that run, besides our own; open to the test. */
  readonly running: Set<number>;
}

/** A process of the machine that the test is about. */
export function identify(id: number, machine = "here"): ProcessIdentity {
  return { id, start: "100", host: machine, machine };
}

/** Processes of which a test says whether they run. */
export function createFakeProcesses(ownID = 1): FakeProcesses {
  const running = new Set<number>();
  return {
    running,
    own: async () => identify(ownID),
    ancestors: async () => [],
    isRunning: async ({ id, machine }) => (machine === "here" ? id === ownID || running.has(id) : undefined),
  };
}
