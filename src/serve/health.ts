/** Checks whether a project's memory works. Only reads. */
import { join } from "node:path";
import { isRecord, parseJson } from "../base/shape.js";
import { type Clock, waitAtMost } from "../io/clock.js";
import { type Files, readPlainText } from "../io/files.js";
import type { LockState } from "../io/holders.js";
import { formatPrefix, memoryTypes } from "../memory/memory.js";
import { readPending } from "../memory/store/journal.js";
import type { CollectionPlace } from "../memory/store/places.js";
import { listItself } from "../memory/store/scan.js";
import { findLocks, LEAST_FREE_BYTES } from "../operations/doctor/machine.js";
import { listPlaces } from "../operations/memory-files.js";
import { openLocks, type Project } from "../operations/project.js";

export interface HealthProblem {
  check: "store" | "locks" | "disk" | "state";
  /** Without paths or names, since clients without the key see it. */
  what: string;
  /** The path, for clients with the key. */
  where?: string;
}

export type Health = { status: "ok" } | { status: "degraded"; problems: readonly HealthProblem[] };

export interface HealthOptions {
  /** `undefined` if the system does not say. */
  readFreeBytes(folder: string): Promise<number | undefined>;
}

const CHECK_MS = 5_000;
/** A holder renews its lock every five seconds. */
const STUCK_MS = 60_000;

/** Checks these projects. Never rejects: a check that fails or times out counts as a problem of the store. */
export async function checkHealth(
  clock: Clock,
  projects: () => Promise<readonly Project[]>,
  options: HealthOptions,
): Promise<Health> {
  const waited = await waitAtMost(clock, CHECK_MS, async () => {
    const found = await Promise.all((await projects()).map((project) => findProblems(project, options)));
    // Projects share the global memories.
    return keepDistinct(found.flat());
  });
  const problems =
    waited.kind === "done"
      ? waited.value
      : [
          {
            check: "store",
            what: waited.kind === "overran" ? "the check timed out" : "the check failed",
          } as const,
        ];
  return problems.length === 0 ? { status: "ok" } : { status: "degraded", problems };
}

/** The same without paths. */
export const toPublic = (health: Health): Health =>
  health.status === "ok"
    ? health
    : { ...health, problems: keepDistinct(health.problems.map(({ check, what }) => ({ check, what }))) };

function keepDistinct(problems: readonly HealthProblem[]): HealthProblem[] {
  return [...new Map(problems.map((one) => [JSON.stringify(one), one])).values()];
}

async function findProblems(project: Project, { readFreeBytes }: HealthOptions): Promise<HealthProblem[]> {
  const { cli, folders, root } = project;
  const { clock, files } = cli;
  const places = listPlaces(project);
  const { inspect } = openLocks(project, "serve");
  const [isThere, store, locks, free, state] = await Promise.all([
    files.stat(root).then((stat) => stat?.kind === "folder"),
    findUnreadable(files, places),
    findStuck({ clock, files, inspect }, [
      join(folders.strata, "state"),
      join(project.globalFolder, "strata", "state"),
    ]),
    readFreeBytes(root),
    findDamaged(files, [
      folders.dreamState,
      folders.entities,
      folders.leases,
      folders.prices,
      folders.sessions,
    ]),
  ]);
  const isLow = free !== undefined && free < LEAST_FREE_BYTES;
  return [
    ...(isThere ? [] : [{ check: "store", what: "a served folder is gone", where: root } as const]),
    ...store,
    ...locks,
    ...(isLow ? [{ check: "disk", what: "less than 200 MB are free", where: root } as const] : []),
    ...state,
    ...(await findRefused(files, places)),
  ];
}

/** Memory folders that cannot be listed or are not folders. */
async function findUnreadable(files: Files, places: readonly CollectionPlace[]): Promise<HealthProblem[]> {
  const problems: HealthProblem[] = [];
  for (const { folder } of places) {
    for (const where of [folder, ...memoryTypes.map((type) => join(folder, type))]) {
      const what = await describeTrouble(files, where);
      if (what !== undefined) problems.push({ check: "store", what, where });
    }
  }
  return problems;
}

async function describeTrouble(files: Files, folder: string): Promise<string | undefined> {
  try {
    const stat = await files.statItself(folder);
    if (stat && stat.kind !== "folder") return "a memory folder is not a folder";
    await listItself(files, folder);
    return undefined;
  } catch {
    return "a memory folder cannot be read";
  }
}

/** Locks that their owner, running or unknown, no longer renews. Locks of ended processes are taken over. */
async function findStuck(
  { clock, files, inspect }: { clock: Clock; files: Files; inspect(path: string): Promise<LockState> },
  folders: readonly string[],
): Promise<HealthProblem[]> {
  const problems: HealthProblem[] = [];
  const paths = await Promise.all(folders.map((folder) => findLocks(files, folder)));
  for (const where of paths.flat()) {
    const state = await inspect(where).catch(() => undefined);
    if (state?.kind !== "held") continue;
    const lastMs = (await files.stat(where).catch(() => undefined))?.modifiedMs ?? clock.now();
    if (clock.now() - lastMs < STUCK_MS) continue;
    problems.push({ check: "locks", what: "a lock is held, but its owner does not renew it", where });
  }
  return problems;
}

/** Damaged machine state files. Strata replaces them whole, so something else damaged them. */
async function findDamaged(files: Files, paths: readonly string[]): Promise<HealthProblem[]> {
  const found = await Promise.all(
    paths.map(async (where): Promise<HealthProblem[]> => {
      const text = await readPlainText(files, where).catch(() => "unreadable");
      if (text === "" || isRecord(parseJson(text))) return [];
      return [{ check: "state", what: "a machine state file is damaged", where }];
    }),
  );
  return found.flat();
}

/** Invalid records of unfinished changes; no part of such a change is applied. */
async function findRefused(files: Files, places: readonly CollectionPlace[]): Promise<HealthProblem[]> {
  const problems: HealthProblem[] = [];
  for (const place of places) {
    const where = join(place.state, "pending.json");
    const pending = await readPending(files, where, formatPrefix(place)).catch(() => undefined);
    if (pending?.kind === "refused")
      problems.push({
        check: "state",
        what: "the record of an unfinished change is damaged, so the change was not applied",
        where,
      });
  }
  return problems;
}
