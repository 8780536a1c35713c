/**
 * Whose the shared machine state in `.opencode/strata/state` is: a clone or an archive may bring some. The file `owner`
 * there holds an id for each machine whose it is, drawn by chance; the id of this one stands in its own record, with
 * the path of the project.
 *
 *     looked at first    nothing shared is there, or this machine's id stands in `owner`: it is ours
 *                        an id of ours that stands in the record of a path which is no more: the project was moved
 *                        a process that runs on this machine works with it, another user's or an earlier version's
 *                        otherwise: all that is shared is moved to `state.foreign-<n>`, where nobody reads it
 *     written to first   this machine's id is put into `owner`, and again where somebody has deleted it
 *
 * Of a state without an `owner`, which an earlier version may have left or somebody else may have brought, what can do
 * no harm is kept. Where the user's state folder cannot be used nothing can be told, and all is taken for ours.
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
  /** Of the record; nobody else's locks. */
  locks: Locks;
  project: string;
  /** `<project>/.opencode/strata/state` */
  state: string;
  locateRecord(): Promise<ProjectRecord>;
  /** Does a process work with the state that is known to run on this machine? Nobody elsewhere can name one. */
  isInUse(): Promise<boolean>;
  /** What of a shared file can do no harm whoever has written it, by its name; nothing of the others is kept. */
  harmless: Readonly<Record<string, (text: string) => string | undefined>>;
}

type Verdict = "ours" | "foreign";

/** How long a read waits for the verdict; after that it finds nothing. */
const WITHIN_MS = 2_000;
const SOURCE = "owner";

export interface StateOwner {
  /** In which the shared state is there only when it is this machine's. */
  readonly files: Files;
  /** Looks whose it is, and does what follows from that, the first time. Never rejects; nothing bounds it. */
  settle(): Promise<unknown>;
}

/** Touches nothing until it is asked. */
export function createStateOwner(options: StateOwnerOptions): StateOwner {
  const { clock, files, harmless, locateRecord, locks, log, project, state } = options;
  const ownerPath = join(state, "owner");
  const ids = createOwnerIDs({ files, log, ownerPath, project });
  const shared = createSharedEntries({ files, harmless, log, state });
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
          complain(`cannot note whose ${state} is`, thrown);
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
      complain(`cannot tell whose ${state} is, so it is used as it is`, thrown);
      return "ours";
    }
  }

  /** Another process may have settled it while this one waited for the lock. */
  async function settleLocked(record: ProjectRecord): Promise<Verdict> {
    if ((await ids.isOurs(record)) || (await ids.takeAlong(record))) return "ours";
    const isWithoutOwner = (await ids.read()).length === 0;
    await ids.identify(record);
    try {
      if (!(await options.isInUse())) await shared.setAside(isWithoutOwner);
      await ids.claim(record);
      return "ours";
    } catch (thrown) {
      complain(`${state} is not known to be of this machine, cannot be set aside, and is not used`, thrown);
      return "foreign";
    }
  }

  function complain(what: string, thrown: unknown): void {
    if (!hasComplained) log.warn(SOURCE, `${what}: ${formatError(thrown)}`);
    hasComplained = true;
  }
}
