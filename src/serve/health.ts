/** Checks whether a project's memory works. Only reads. */
import { join } from "node:path";
import { isRecord, parseJson } from "../base/shape.js";
import { type Clock, waitAtMost } from "../io/clock.js";
import { type Files, readPlainText } from "../io/files.js";
import { formatPrefix, memoryTypes } from "../memory/memory.js";
import { readPending } from "../memory/store/journal.js";
import { type CollectionPlace, listItself } from "../memory/store/scan.js";
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
  const what = waited.kind === "overran" ? "the check timed out" : "the check failed";
  const problems = waited.kind === "done" ? waited.value : [{ check: "store", what } as const];
  return problems.length === 0 ? { status: "ok" } : { status: "degraded", problems };
}

export const toPublic = (health: Health): Health =>
  health.status === "ok"
    ? health
    : { ...health, problems: keepDistinct(health.problems.map(({ check, what }) => ({ check, what }))) };

function keepDistinct(problems: readonly HealthProblem[]): HealthProblem[] {
  return [...new Map(problems.map((one) => [JSON.stringify(one), one])).values()];
}

async function findProblems(project: Project, { readFreeBytes }: HealthOptions): Promise<HealthProblem[]> {
  const { cli, folders, globalFolder, root } = project;
  const { files } = cli;
  const places = listPlaces(project);
  const memories = places.flatMap(({ folder }) => [folder, ...memoryTypes.map((type) => join(folder, type))]);
  const states = [join(folders.strata, "state"), join(globalFolder, "strata", "state")];
  const locks = await Promise.all(states.map((folder) => findLocks(files, folder)));
  const { dreamState, leases, prices, sessions } = folders;
  const free = await readFreeBytes(root);
  const found: (HealthProblem | undefined)[] = [
    (await files.stat(root))?.kind === "folder"
      ? undefined
      : problem("store", "a served folder is gone", root),
    free !== undefined && free < LEAST_FREE_BYTES
      ? problem("disk", "less than 200 MB are free", root)
      : undefined,
    ...(await Promise.all([
      ...memories.map((where) => checkFolder(files, where)),
      ...locks.flat().map((where) => checkLock(project, where)),
      ...[dreamState, leases, prices, sessions].map((where) => checkState(files, where)),
      ...places.map((place) => checkPending(files, place)),
    ])),
  ];
  return found.filter((one) => one !== undefined);
}

const problem = (check: HealthProblem["check"], what: string, where: string): HealthProblem => ({
  ...{ check, what, where },
});

async function checkFolder(files: Files, where: string): Promise<HealthProblem | undefined> {
  try {
    const stat = await files.statItself(where);
    if (stat && stat.kind !== "folder") return problem("store", "a memory folder is not a folder", where);
    await listItself(files, where);
    return undefined;
  } catch {
    return problem("store", "a memory folder cannot be read", where);
  }
}

/** Does its owner, running or unknown, renew the lock? One of an ended process is taken over. */
async function checkLock(project: Project, where: string): Promise<HealthProblem | undefined> {
  const { clock, files } = project.cli;
  const state = await openLocks(project, "serve")
    .inspect(where)
    .catch(() => undefined);
  if (state?.kind !== "held") return undefined;
  const renewedMs = (await files.stat(where).catch(() => undefined))?.modifiedMs ?? clock.now();
  const isRenewed = clock.now() - renewedMs < STUCK_MS;
  return isRenewed ? undefined : problem("locks", "a lock is held, but its owner does not renew it", where);
}

/** Strata replaces machine state files whole, so something else damages them. */
async function checkState(files: Files, where: string): Promise<HealthProblem | undefined> {
  const text = await readPlainText(files, where).catch(() => "unreadable");
  const isWhole = text === "" || isRecord(parseJson(text));
  return isWhole ? undefined : problem("state", "a machine state file is damaged", where);
}

async function checkPending(files: Files, place: CollectionPlace): Promise<HealthProblem | undefined> {
  const where = join(place.state, "pending.json");
  const pending = await readPending(files, where, formatPrefix(place)).catch(() => undefined);
  const what = "the record of an unfinished change is damaged, so the change was not applied";
  return pending && "why" in pending ? problem("state", what, where) : undefined;
}
