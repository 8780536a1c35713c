/** What the plugin needs of the machine: folders that can be written, a disk with room, locks that somebody holds, a clock. */
import { randomUUID } from "node:crypto";
import { dirname, join } from "node:path";
import { DAY_MS } from "../../days.js";
import { formatError } from "../../error.js";
import { type Folders, planFolders } from "../../folders.js";
import { formatCount } from "../../format.js";
import { formatLock } from "../../lock/format.js";
import type { LockState } from "../../lock/locks.js";
import { findOwnFlaws, type OwnFlawsOptions } from "../../own-flaws.js";
import { SET_ASIDE } from "../../owner/state-owner.js";
import type { Surroundings } from "../command.js";
import { type Finding, fine, note, problem, warning } from "./finding.js";

export interface MachineOptions extends Pick<Surroundings, "files" | "clock"> {
  readFreeBytes(folder: string): Promise<number | undefined>;
  inspectLock(path: string): Promise<LockState>;
}

const LEAST_FREE_BYTES = 200_000_000;
const LEAST_NODE = 20;
/** Folders of machine state above a lock. */
const DEEPEST_LOCK = 2;
/** Clocks of one network differ by less. */
const CLOCK_SLACK_MS = 120_000;

/** Is this Node, or what stands in for it, new enough? */
export function checkRuntime(versions: Readonly<Record<string, string | undefined>>): Finding {
  const name = versions.bun === undefined ? `Node ${versions.node}` : `Bun ${versions.bun}`;
  const major = Number(versions.node?.split(".")[0]);
  if (major >= LEAST_NODE) return fine(`the command line runs on ${name}`);
  return problem(`the command line runs on ${name}`, `Node ${LEAST_NODE} or later is needed`);
}

/** Findings on the folders of a project and the machine it is on. */
export async function checkMachine(options: MachineOptions, project: string): Promise<Finding[]> {
  const folders = planFolders(project);
  return [
    ...(await checkWriting(options, folders)),
    await checkDisk(options, project),
    ...(await checkLocks(options, folders)),
    ...(await findSetAside(options, folders)),
    await checkClock(options, folders),
  ];
}

/** Do our folders lie where they say, and does git leave them alone? */
export async function checkFolders(
  files: Surroundings["files"],
  project: string,
  config: OwnFlawsOptions["config"],
): Promise<Finding[]> {
  const flaws = await findOwnFlaws({ files, folders: planFolders(project), config });
  if (flaws.length === 0)
    return [fine("no folder of ours leads out of the project, and git leaves them alone")];
  return flaws.map(({ path, todo, what }) => problem(`${path}: ${what}`, todo));
}

/** A file is made and removed again in each folder: no flag tells as surely. */
async function checkWriting(
  { files }: Pick<MachineOptions, "files">,
  { project, savings, sessionMemory, strata, toolResults }: Folders,
): Promise<Finding[]> {
  const troubles: Finding[] = [];
  const tried = new Set<string>();
  for (const folder of [toolResults, sessionMemory, strata, savings, join(strata, "state")]) {
    const place = await findExisting(files, folder, project);
    if (tried.has(place)) continue;
    tried.add(place);
    const path = join(place, `.strata-doctor-${randomUUID()}`);
    try {
      await files.create(path, "");
      await files.remove(path);
    } catch (thrown) {
      const what = `${place} cannot be written: ${formatError(thrown)}`;
      troubles.push(problem(what, "until it can, results stay in the context and nothing is remembered"));
    }
  }
  return troubles.length > 0 ? troubles : [fine(`${join(project, ".opencode")} can be written`)];
}

/** The folder, or the nearest one above that is there. What is no folder cannot be written in. */
async function findExisting(files: MachineOptions["files"], folder: string, top: string): Promise<string> {
  for (let place = folder; place !== top && place !== dirname(place); place = dirname(place)) {
    const stat = await files.stat(place).catch(() => undefined);
    if (stat) return place;
  }
  return top;
}

async function checkDisk({ readFreeBytes }: MachineOptions, project: string): Promise<Finding> {
  const free = await readFreeBytes(project);
  if (free === undefined) return fine("the system does not say how much room is on the disk");
  const what = `${formatCount(free / 1_000_000)} MB are free on the disk`;
  return free >= LEAST_FREE_BYTES
    ? fine(what)
    : warning(what, "when it is full, results stay in the context");
}

async function checkLocks(
  { clock, files, inspectLock }: MachineOptions,
  { strata }: Folders,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const path of await findLocks(files, join(strata, "state"))) {
    const state = await inspectLock(path);
    if (state.kind === "free") continue;
    const { isSilent, says } = formatLock(state, clock.now());
    const what = `${path} is ${says}`;
    if (isSilent)
      findings.push(warning(what, "nothing has to be done, who needs it takes it over; it may be deleted"));
    else if (state.token) findings.push(fine(what));
    else findings.push(problem(what, "nothing for a minute; if it is still there then, delete it"));
  }
  return findings.length > 0 ? findings : [fine("no lock is held")];
}

/** Machine state that is not known to be of this machine, and is not read. */
async function findSetAside({ files }: MachineOptions, { strata }: Folders): Promise<Finding[]> {
  const names = await files.list(strata).catch(() => []);
  return names
    .filter((name) => name.startsWith(`state${SET_ASIDE}`))
    .map((name) =>
      note(
        `${join(strata, name)} holds machine state that this machine has not written, or that an earlier version has`,
        "it is not read; look at it if you like, and delete it",
      ),
    );
}

/** Files named `lock` or `….lock`, and the rights to take one over, in a folder and those in it. */
export async function findLocks(
  files: MachineOptions["files"],
  folder: string,
  depth = 0,
): Promise<string[]> {
  const found: string[] = [];
  for (const name of await files.list(folder).catch(() => [])) {
    const path = join(folder, name);
    if (/(^|\.)lock(\.|$)/.test(name)) found.push(path);
    // Only folders have names without an ending here.
    else if (depth < DEEPEST_LOCK && !name.includes("."))
      found.push(...(await findLocks(files, path, depth + 1)));
  }
  return found;
}

/** Idle times and budgets go by the clock: what was written must not lie in the future. */
async function checkClock({ clock, files }: MachineOptions, { log, savings }: Folders): Promise<Finding> {
  const names = await files.list(savings).catch(() => []);
  const paths = [log, ...names.slice(-20).map((name) => join(savings, name))];
  const stats = await Promise.all(paths.map((path) => files.stat(path).catch(() => undefined)));
  const latest = Math.max(0, ...stats.map((stat) => stat?.modifiedMs ?? 0));
  const ahead = latest - clock.now();
  if (ahead <= CLOCK_SLACK_MS) return fine("the clock is not behind what was written last");
  const days = ahead / DAY_MS;
  const span = days >= 1 ? `${formatCount(days)} days` : `${formatCount(ahead / 60_000)} minutes`;
  return warning(
    `the clock is ${span} behind what was written last in ${dirname(log)}`,
    "set it right: the daily budget and the life of the prompt cache go by it",
  );
}
