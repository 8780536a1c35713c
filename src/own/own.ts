/** What belongs to this machine in a project: its files, the marks on them, and the sessions that ran here. */
import { join } from "node:path";
import type { Folders } from "../folders.js";
import { createLocks } from "../lock/locks.js";
import { locateRecord, type ProjectRecord } from "../owner/record.js";
import { createSeal, type Seal } from "../owner/seal.js";
import { createSeenSessions, type SeenSessions } from "../owner/seen-sessions.js";
import { createStateOwner } from "../owner/state-owner.js";
import type { Log } from "../record/log.js";
import type { Clock } from "../seams/clock.js";
import type { Files } from "../seams/files.js";
import type { Host } from "../seams/host.js";

export interface Own {
  /** Includes the machine state shared by all sessions, but only if this machine wrote it. */
  files: Files;
  seal: Seal;
  sessions: SeenSessions;
  /** Paths of this machine's record of the project. Rejects with the system's error. */
  locateRecord(): Promise<ProjectRecord>;
}

export interface OwnOptions {
  clock: Clock;
  files: Files;
  log: Log;
  folders: Folders;
  instance: string;
  host: Pick<Host, "stateFolder" | "processes">;
}

/** Touches nothing until first used. */
export function openOwn({ clock, files, folders, host, instance, log }: OwnOptions): Own {
  const { processes, stateFolder } = host;
  const { project, strata } = folders;
  const locate = () => locateRecord(files, { project, stateFolder });
  const owner = createStateOwner({
    clock,
    files,
    log,
    // With the same name, two locks in one process would take each other for abandoned.
    locks: createLocks({ clock, files, processes, instance: `${instance} owner` }),
    project,
    state: join(strata, "state"),
    locateRecord: locate,
  });
  const locateSettled = async (): Promise<ProjectRecord> => {
    // If the project was moved, its record moves with its state.
    await owner.settle();
    return locate();
  };
  return {
    files: owner.files,
    seal: createSeal({ files, log, stateFolder }),
    sessions: createSeenSessions({ clock, files, log, locateRecord: locateSettled }),
    locateRecord: locateSettled,
  };
}
