import { type Entry, parseEntry } from "../../layers/errors/error-log.js";
import { createFailures, type Failures } from "../../layers/errors/failures.js";
import type { Clock } from "../../src/io/clock.js";
import { type Files, readText } from "../../src/io/files.js";
import { createLocks } from "../../src/io/locks.js";
import type { RunningProcesses } from "../../src/io/running-processes.js";
import { planFolders } from "../../src/project/folders.js";
import { createSeal } from "../../src/project/own.js";
import { STATE } from "./fake-host.js";
import { createFakeLog } from "./fake-log.js";

export interface FailuresWorld {
  clock: Clock;
  files: Files;
  processes: RunningProcesses;
  project: string;
  stateFolder?: string;
  maxLines?: number;
}

/** The memory of failures of another process on the same disk. */
export function openFailures({
  clock,
  files,
  maxLines = Number.POSITIVE_INFINITY,
  processes,
  project,
  stateFolder = STATE,
}: FailuresWorld): Failures {
  const { errorLock: lock, errorLog: path } = planFolders(project);
  const locks = createLocks({ clock, files, processes, instance: "test" });
  const log = createFakeLog();
  const seal = createSeal({ files, log, stateFolder });
  return createFailures({ maxLines, files, locks, log, looks: files, path, lock, seal, project });
}

/** The entries of the log and of the one before it, oldest first. */
export async function readErrorLog(files: Files, path: string): Promise<Entry[]> {
  const texts = await Promise.all([`${path}.1`, path].map((one) => readText(files, one)));
  return texts.flatMap((text = "") => text.split("\n").flatMap((line) => parseEntry(line) ?? []));
}
