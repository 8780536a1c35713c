/**
 * Detects shared machine state in `.opencode/strata/state` that came with a clone or an archive. The file `owner` there
 * holds a random ID for each machine that works with it; this machine's own record has its ID and the project's path.
 *
 *     first look     nothing shared is there, or this machine's ID stands in `owner`: it is ours
 *                    an ID of ours stands there whose path no longer exists: the project was moved, it is ours
 *                    a process that runs on this machine, such as another user's, works with it: it is ours
 *                    otherwise all that is shared is moved to `state.foreign-<n>`, which is never read
 *     first write    this machine's ID is added to `owner`, and again if the file was deleted
 *
 * Where the user's state folder cannot be used nothing is known, and all is taken for ours.
 */
import { join } from "node:path";
import { formatError } from "../error.js";
import type { Locks } from "../lock/locks.js";
import type { Log } from "../record/log.js";
import { type Clock, waitAtMost } from "../seams/clock.js";
import type { Files } from "../seams/files.js";
import { createOwnerIDs } from "./owner-ids.js";
import type { ProjectRecord } from "./record.js";
import { createSharedEntries } from "./set-aside.js";
import { guardSharedState } from "./shared-state.js";

export interface StateOwnerOptions {
  clock: Clock;
  files: Files;
  log: Log;
  /** For the record's lock only. */
  locks: Locks;
  project: string;
  /** `<project>/.opencode/strata/state` */
  state: string;
  locateRecord(): Promise<ProjectRecord>;
  /** Does a process that runs on this machine work with the state? */
  isInUse(): Promise<boolean>;
}

type Verdict = "ours" | "foreign";

/** How long a read waits for the verdict; after that it finds nothing. */
const WITHIN_MS = 2_000;
const SOURCE = "owner";

export interface StateOwner {
  /** Shared state appears in it only if it is this machine's. */
  readonly files: Files;
  /** Decides once whose the state is, and moves foreign state away. Never rejects; has no time limit. */
  settle(): Promise<unknown>;
}

/** Touches nothing until it is asked. */
export function createStateOwner(options: StateOwnerOptions): StateOwner {
  const { clock, files, locateRecord, locks, log, project, state } = options;
  const ownerPath = join(state, "owner");
  const ids = createOwnerIDs({ files, log, ownerPath, project });
  const shared = createSharedEntries({ files, log, state });
  let settling: Promise<Verdict> | undefined;
  let verdict: Verdict | undefined;
  let hasComplained = false;
  const settleOnce = (): Promise<Verdict> => {
    settling ??= settle().then((settled) => {
      verdict = settled;
      return settled;
    });
    return settling;
  };

  return {
    settle: settleOnce,
    files: guardSharedState({
      files,
      state,
      async mayRead() {
        if (verdict) return verdict === "ours";
        const waited = await waitAtMost(clock, WITHIN_MS, settleOnce);
        return waited.kind === "done" && waited.value === "ours";
      },
      async beforeWriting() {
        try {
          if (!(await files.stat(ownerPath))) await ids.claim(await locateRecord());
        } catch (thrown) {
          complain(`cannot note the owner of ${state}`, thrown);
        }
      },
    }),
  };

  async function settle(): Promise<Verdict> {
    try {
      if ((await shared.list()).length === 0) return "ours";
    } catch (thrown) {
      complain(`${state} is not used`, thrown);
      return "foreign";
    }
    try {
      const record = await locateRecord();
      if (await ids.isOurs(record)) return "ours";
      return await locks.withLock(record.lock, () => settleLocked(record));
    } catch (thrown) {
      complain(`cannot verify the owner of ${state}; using it`, thrown);
      return "ours";
    }
  }

  /** Another process may have settled it while this one waited for the lock. */
  async function settleLocked(record: ProjectRecord): Promise<Verdict> {
    if ((await ids.isOurs(record)) || (await ids.takeAlong(record))) return "ours";
    await ids.identify(record);
    try {
      if (!(await options.isInUse())) await shared.setAside();
      await ids.claim(record);
      return "ours";
    } catch (thrown) {
      complain(`${state} did not come from this machine, cannot be moved away, and is not used`, thrown);
      return "foreign";
    }
  }

  function complain(what: string, thrown: unknown): void {
    if (!hasComplained) log.warn(SOURCE, `${what}: ${formatError(thrown)}`);
    hasComplained = true;
  }
}
