import type { ProcessIdentity, RunningProcesses } from "../../src/io/running-processes.js";

export interface FakeProcesses extends RunningProcesses {
  /** Ids of this machine's running processes besides our own; tests may change it. */
  readonly running: Set<number>;
}

/** A process of the tested machine. */
export function identify(id: number, machine = "here"): ProcessIdentity {
  return { id, start: "100", host: machine, machine };
}

/** Processes whose state the test decides. */
export function createFakeProcesses(ownID = 1): FakeProcesses {
  const running = new Set<number>();
  return {
    running,
    own: async () => identify(ownID),
    ancestors: async () => [],
    isRunning: async ({ id, machine }) => (machine === "here" ? id === ownID || running.has(id) : undefined),
  };
}
