/**
 * Cleans up after a start: removes the plugin's own sessions that a killed instance left behind, and expired files. Runs
 * in the background after the host's first event.
 *
 * A session is removed when the process that opened it has ended. If that process seems to run (another live instance, or
 * a reused process id), it is removed once it is unused for far longer than any call may take.
 */
import type PQueue from "p-queue";
import { formatError } from "../../src/base/error.js";
import type { Clock } from "../../src/io/clock.js";
import type { Files } from "../../src/io/files.js";
import type { Host, OwnSession } from "../../src/io/host.js";
import type { Log } from "../../src/io/log.js";
import { removeExpired } from "../../src/kernel/expired-files.js";
import type { FileKind } from "../../src/kernel/file-kinds.js";
import { stateFolderFiles } from "../../src/kernel/kernel-files.js";
import type { Layer } from "../../src/kernel/layer.js";
import type { Folders } from "../../src/project/folders.js";

export interface HousekeepingOptions {
  clock: Clock;
  host: Host;
  log: Log;
  background: PQueue;
  files: Files;
  folders: Folders;
  /** All kinds of files that the plugin writes. */
  fileKinds: readonly FileKind[];
}

const UNUSED_MS = 10 * 60_000;
/** A starting host may not list its sessions yet; the next event tries again. */
const MOST_TRIES = 3;

/** Own sessions that no process is waiting for. */
function findAbandoned(sessions: readonly OwnSession[], nowMs: number): OwnSession[] {
  return sessions.filter(({ openedBy, updatedMs }) => openedBy === "ended" || nowMs - updatedMs > UNUSED_MS);
}

export function createHousekeeping(options: HousekeepingOptions): Layer {
  const { background, clock, fileKinds, files, folders, host, log } = options;
  let tries = 0;
  let isDone = false;
  let hasRemovedFiles = false;

  return {
    name: "background",
    phase: "before",
    handlers: {
      event() {
        if (isDone || tries >= MOST_TRIES) return undefined;
        isDone = true;
        tries++;
        void background.add(sweep);
        return undefined;
      },
    },
  };

  async function sweep(): Promise<void> {
    await removeAbandoned();
    if (hasRemovedFiles) return;
    hasRemovedFiles = true;
    const world = { clock, files, folders, processes: host.processes };
    const complain = (thrown: unknown): void =>
      log.warn("background", `cannot remove expired files: ${formatError(thrown)}`);
    await removeExpired(world, fileKinds, complain);
    await removeExpired({ ...world, root: host.stateFolder }, stateFolderFiles, complain);
  }

  async function removeAbandoned(): Promise<void> {
    const sessions = await host.listOwnSessions();
    isDone = sessions !== undefined;
    const abandoned = findAbandoned(sessions ?? [], clock.now());
    let removed = 0;
    for (const { id } of abandoned) if (await host.removeSession(id)) removed++;
    if (removed > 0) log.info("background", `removed ${removed} leftover sessions of the plugin`);
    if (removed < abandoned.length)
      log.warn("background", `cannot remove ${abandoned.length - removed} leftover sessions of the plugin`);
  }
}
