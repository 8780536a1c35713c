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
import { randomUUID } from "node:crypto";
import { basename, dirname, join } from "node:path";
import { formatError } from "../error.js";
import type { Locks } from "../lock/locks.js";
import type { Log } from "../record/log.js";
import { parseJson } from "../records.js";
import { type Clock, waitAtMost } from "../seams/clock.js";
import type { Files } from "../seams/files.js";
import { readPlainText, readText } from "../seams/read-text.js";
import { matching, object, parserOf, string } from "../shape.js";
import { isRecordName, type ProjectRecord, planRecord } from "./record.js";
import { guardSharedState, isSharedName, SHARED_WITHIN } from "./shared-state.js";

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

interface Owner {
  id: string;
  path: string;
}

/** How long whoever reads waits for the verdict; then it is as if nothing were there. */
const WITHIN_MS = 2_000;
/** Machines that share a folder; a file with more is none of ours. */
const MOST_OWNERS = 20;
const MOST_SET_ASIDE = 1_000;
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
  let settling: Promise<Verdict> | undefined;
  let hasComplained = false;
  const settleOnce = (): Promise<Verdict> => {
    settling ??= settle();
    return settling;
  };

  return {
    settle: settleOnce,
    files: guardSharedState({
      files,
      state,
      async mayRead() {
        const waited = await waitAtMost(clock, WITHIN_MS, settleOnce);
        return waited.kind === "done" && waited.value === "ours";
      },
      async beforeWriting() {
        try {
          if (!(await files.stat(ownerPath))) await claim(await locateRecord());
        } catch (thrown) {
          complain(`cannot note whose ${state} is`, thrown);
        }
      },
    }),
  };

  async function settle(): Promise<Verdict> {
    try {
      if ((await listShared()).length === 0) return "ours";
    } catch (thrown) {
      complain(`${state} is not used`, thrown);
      return "foreign";
    }
    try {
      const record = await locateRecord();
      if (await isOurs(record)) return "ours";
      return await locks.withLock(record.lock, () => settleLocked(record));
    } catch (thrown) {
      complain(`cannot tell whose ${state} is, so it is used as it is`, thrown);
      return "ours";
    }
  }

  /** Another process may have settled it while this one came to the lock. */
  async function settleLocked(record: ProjectRecord): Promise<Verdict> {
    if ((await isOurs(record)) || (await takeAlong(record))) return "ours";
    const isWithoutOwner = (await readIDs()).length === 0;
    await identify(record);
    try {
      if (!(await options.isInUse())) await setAside(isWithoutOwner);
      await claim(record);
      return "ours";
    } catch (thrown) {
      complain(`${state} is not known to be of this machine, cannot be set aside, and is not used`, thrown);
      return "foreign";
    }
  }

  async function isOurs(record: ProjectRecord): Promise<boolean> {
    const own = await readOwner(record);
    return own !== undefined && (await readIDs()).includes(own.id);
  }

  /** The project was moved, and what its record knows goes with it. */
  async function takeAlong(record: ProjectRecord): Promise<boolean> {
    const ids = await readIDs();
    if (ids.length === 0 || (await readOwner(record))) return false;
    const all = dirname(record.folder);
    for (const name of (await files.list(all)).filter(isRecordName)) {
      const earlier = planRecord(join(all, name));
      const owner = await readOwner(earlier);
      if (!owner || !ids.includes(owner.id) || (await files.stat(owner.path))) continue;
      const sessions = ((await readText(files, earlier.sessions)) ?? "").trim();
      if (sessions !== "") await files.appendLine(record.sessions, sessions);
      await files.writeWhole(record.owner, await formatOwner(owner.id));
      await files.remove(earlier.owner);
      log.info(SOURCE, `the project was moved here from ${owner.path}`);
      return true;
    }
    return false;
  }

  async function listShared(): Promise<string[]> {
    const found = await files.statItself(state);
    if (!found) return [];
    if (found.kind !== "folder") throw new Error(`expected a folder, and it is a ${found.kind}`);
    const names = (await files.list(state)).filter(isSharedName);
    const within = await Promise.all(
      SHARED_WITHIN.map(async (path) => ((await files.statItself(join(state, path))) ? [path] : [])),
    );
    return [...names, ...within.flat()];
  }

  async function setAside(isWithoutOwner: boolean): Promise<void> {
    const folder = await findFree();
    const names = await listShared();
    for (const name of names) await files.rename(join(state, name), join(folder, name));
    if (isWithoutOwner) for (const name of names) await keepHarmless(name, join(folder, name));
    log.warn(
      SOURCE,
      `${names.length} entries of ${state} are not known to be of this machine, or are of a version that did not note it: they are set aside in ${folder}, not read any more, and may be deleted`,
    );
  }

  async function keepHarmless(name: string, from: string): Promise<void> {
    const keep = harmless[name];
    const isFile = keep && (await files.statItself(from))?.kind === "file";
    const text = isFile ? await readText(files, from) : undefined;
    const kept = text === undefined ? undefined : keep?.(text);
    if (kept !== undefined) await files.writeWhole(join(state, name), kept);
  }

  async function findFree(): Promise<string> {
    for (let n = 1; n <= MOST_SET_ASIDE; n++) {
      const folder = join(dirname(state), `${basename(state)}${SET_ASIDE}${n}`);
      if (!(await files.statItself(folder))) return folder;
    }
    throw new Error(`there are ${MOST_SET_ASIDE} folders ${basename(state)}${SET_ASIDE}<n>; delete them`);
  }

  /** Puts this machine's id beside those of others that share the folder. */
  async function claim(record: ProjectRecord): Promise<void> {
    const { id } = await identify(record);
    const ids = await readIDs();
    if (!ids.includes(id)) await files.writeWhole(ownerPath, `${[...ids, id].join("\n")}\n`);
  }

  /** Two processes that do it at once come to one id. */
  async function identify(record: ProjectRecord): Promise<Owner> {
    const known = await readOwner(record);
    if (known) return known;
    const isMade = await files.create(record.owner, await formatOwner(randomUUID()));
    const made = await readOwner(record);
    if (made) return made;
    throw new Error(`${record.owner} ${isMade ? "is gone" : "cannot be understood; delete it"}`);
  }

  async function formatOwner(id: string): Promise<string> {
    const path = (await files.realPath(project)) ?? project;
    return `${JSON.stringify({ v: 1, id, path })}\n`;
  }

  async function readOwner({ owner }: ProjectRecord): Promise<Owner | undefined> {
    return parseOwner(parseJson((await readText(files, owner)) ?? ""));
  }

  async function readIDs(): Promise<string[]> {
    const ids = (await readPlainText(files, ownerPath)).split("\n").filter((line) => IS_ID.test(line));
    return ids.length > MOST_OWNERS ? [] : ids;
  }

  function complain(what: string, thrown: unknown): void {
    if (!hasComplained) log.warn(SOURCE, `${what}: ${formatError(thrown)}`);
    hasComplained = true;
  }
}

/** Between the name of the folder of machine state and a number. */
export const SET_ASIDE = ".foreign-";
const IS_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const parseOwner = parserOf(object<Owner>({ id: matching(IS_ID), path: string }));
