/**
 * Cleans up after a start: sessions of our own that a killed instance left behind, and expired files. Begins with the
 * first event of the host, in the background.
 *
 * A session goes when the process that opened it no longer runs. Where that process seems to run (another live
 * instance, or its number was given to somebody else) it goes once it has not been used for far longer than any call
 * may take.
 */
import type PQueue from "p-queue";
import type { Layer } from "../../src/dispatcher/layer.js";
import { formatError } from "../../src/error.js";
import { removeExpired } from "../../src/expired-files.js";
import type { FileKind } from "../../src/file-kinds.js";
import type { Folders } from "../../src/folders.js";
import type { Log } from "../../src/record/log.js";
import type { Clock } from "../../src/seams/clock.js";
import type { Files } from "../../src/seams/files.js";
import type { Host, OwnSession } from "../../src/seams/host.js";

export interface HousekeepingOptions {
  clock: Clock;
  host: Host;
  log: Log;
  background: PQueue;
  files: Files;
  folders: Folders;
  /** Every kind of file there is. */
  fileKinds: readonly FileKind[];
}

const UNUSED_MS = 10 * 60_000;
/** A host that is still starting may not say which sessions there are; the next event asks again. */
const MOST_TRIES = 3;

/** Sessions nobody is waiting for. */
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
    cost: 0.4,
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
    await removeExpired(world, fileKinds, (thrown) =>
      log.warn("background", `cannot remove expired files: ${formatError(thrown)}`),
    );
  }

  async function removeAbandoned(): Promise<void> {
    const sessions = await host.listOwnSessions();
    isDone = sessions !== undefined;
    const abandoned = findAbandoned(sessions ?? [], clock.now());
    let removed = 0;
    for (const { id } of abandoned) if (await host.removeSession(id)) removed++;
    if (removed > 0) log.info("background", `removed ${removed} sessions of our own that were left behind`);
    if (removed < abandoned.length)
      log.warn("background", `${abandoned.length - removed} sessions of our own cannot be removed`);
  }
}
