import type { Clock } from "../../src/io/clock.js";
import type { Files } from "../../src/io/files.js";
import { createLocks } from "../../src/io/locks.js";
import { type Candidate, readLatest } from "../../src/memory/candidates/candidate.js";
import { type Candidates, createCandidates } from "../../src/memory/candidates/candidates.js";
import { locateRecord } from "../../src/project/state-owner.js";
import { createFakeClock } from "./fake-clock.js";
import { PROJECT, STATE } from "./fake-host.js";
import { createFakeLog, type FakeLog } from "./fake-log.js";
import { createFakeProcesses } from "./fake-processes.js";

export interface CandidateWorld {
  files: Files;
  clock?: Clock;
  log?: FakeLog;
  project?: string;
  instance?: string;
}

/** The candidates of a project on these files, as one process has them open. */
export function openTestCandidates(given: CandidateWorld): Candidates {
  const {
    clock = createFakeClock(),
    files,
    instance = "a",
    log = createFakeLog(),
    project = PROJECT,
  } = given;
  return createCandidates({
    ...{ clock, files, log },
    locks: createLocks({ clock, files, processes: createFakeProcesses(), instance }),
    locateRecord: () => locateRecord(files, { project, stateFolder: STATE }),
  });
}

export interface GivenSaying {
  session?: string;
  message?: string;
  saidMs?: number;
  type?: Candidate["type"];
  worth?: number;
}

export function candidateOf(text: string, given: GivenSaying = {}): Candidate {
  const { worth = 0.4, message = "msg_1", saidMs = 0, session = "ses_1", type = "knowledge" } = given;
  return {
    type,
    when: [],
    worth,
    said: [{ session, message, saidMs, title: text.replace(/\.$/, ""), text }],
  };
}

export const textsOf = (all: readonly Candidate[]) => all.map((one) => readLatest(one)?.text);
