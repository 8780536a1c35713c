/** Checks what the plugin needs of the machine: writable folders, disk space, live locks. */

import { randomUUID } from "node:crypto";
import { dirname, join } from "node:path";
import { formatError } from "../../base/error.js";
import { formatCount } from "../../base/format.js";
import { listFilesBelow } from "../../io/files.js";
import { formatLock, type LockState } from "../../io/locks.js";
import { createGit } from "../../io/node-git.js";
import type { Folders } from "../../project/folders.js";
import { findOwnFlaws, type OwnFlawsOptions } from "../../project/own-flaws.js";
import { SET_ASIDE } from "../../project/state-owner.js";
import type { CliContext, Style } from "../command.js";

interface MachineOptions extends Pick<CliContext, "files"> {
  readFreeBytes(folder: string): Promise<number | undefined>;
  inspectLock(path: string): Promise<LockState>;
}

export const LEAST_FREE_BYTES = 200_000_000;
const LEAST_NODE = 20;

export function checkRuntime(versions: Readonly<Record<string, string | undefined>>): Finding {
  const name = versions.bun === undefined ? `Node ${versions.node}` : `Bun ${versions.bun}`;
  const major = Number(versions.node?.split(".")[0]);
  if (major >= LEAST_NODE) return fine(`the command line runs on ${name}`);
  return problem(`the command line runs on ${name}`, `it needs Node ${LEAST_NODE} or later`);
}

export async function checkMachine(options: MachineOptions, folders: Folders): Promise<Finding[]> {
  return [
    ...(await checkWriting(options, folders)),
    await checkDisk(options, folders.project),
    ...(await checkLocks(options, folders)),
    ...(await findSetAside(options, folders)),
  ];
}

export async function checkFolders(
  files: CliContext["files"],
  folders: Folders,
  config: OwnFlawsOptions["config"],
): Promise<Finding[]> {
  const flaws = await findOwnFlaws({ files, folders, config, git: createGit() });
  if (flaws.length === 0)
    return [fine("Strata's folders are inside the project, and git ignores what it should")];
  return flaws.map(({ path, todo, what }) => problem(`${path}: ${what}`, todo));
}

/** Creates and removes a file in each folder, which is surer than any permission flag. */
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
  return troubles.length > 0 ? troubles : [fine(`${join(project, ".opencode")} is writable`)];
}

/** The folder, or the nearest existing one above it. */
async function findExisting(files: MachineOptions["files"], folder: string, top: string): Promise<string> {
  for (let place = folder; place !== top && place !== dirname(place); place = dirname(place)) {
    const stat = await files.stat(place).catch(() => undefined);
    if (stat) return place;
  }
  return top;
}

async function checkDisk({ readFreeBytes }: MachineOptions, project: string): Promise<Finding> {
  const free = await readFreeBytes(project);
  if (free === undefined) return fine("free disk space is unknown");
  const what = `${formatCount(free / 1_000_000)} MB of disk space are free`;
  if (free >= LEAST_FREE_BYTES) return fine(what);
  return warning(what, "when the disk is full, results stay in the context");
}

async function checkLocks({ files, inspectLock }: MachineOptions, { strata }: Folders): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const path of await findLocks(files, join(strata, "state"))) {
    const state = await inspectLock(path);
    if (state.kind === "free") continue;
    const { isStale, says } = formatLock(state);
    const what = `${path} is ${says}`;
    if (isStale) findings.push(warning(what, "nothing to do: the next process that needs it takes it over"));
    else if (state.token) findings.push(fine(what));
    else findings.push(problem(what, "check again in a minute, and delete it if it is still there"));
  }
  return findings.length > 0 ? findings : [fine("no locks are held")];
}

/** Machine state that is not known to be this machine's, and is not read. */
async function findSetAside({ files }: MachineOptions, { strata }: Folders): Promise<Finding[]> {
  const names = await files.list(strata).catch(() => []);
  const others = names.filter((name) => name.startsWith(`state${SET_ASIDE}`));
  const todo = "it is not used, and you can delete it";
  return others.map((name) => note(`${join(strata, name)} holds machine state from another machine`, todo));
}

/** Files named `lock` or `….lock`, and claims to take one over, in and below a folder. */
export async function findLocks(files: MachineOptions["files"], folder: string): Promise<string[]> {
  const { paths } = await listFilesBelow(files, folder, () => true).catch(() => ({ paths: [] }));
  return paths.filter((path) => /(^|[./])lock(\.[^/]*)?$/.test(path)).map((path) => join(folder, path));
}

export interface Finding {
  /** `note`: worth knowing. `warning`: works, but needs attention. `problem`: does not work. */
  level: "fine" | "note" | "warning" | "problem";
  what: string;
  todo?: string;
}

export type Section = { title: string; findings: readonly Finding[] };

const findingOf =
  (level: Finding["level"]) =>
  (what: string, todo?: string): Finding => ({ level, what, ...(todo !== undefined && { todo }) });
export const fine = findingOf("fine");
export const note = findingOf("note");
export const warning = findingOf("warning");
export const problem = findingOf("problem");

export const isTrouble = ({ level }: Finding): boolean => level === "warning" || level === "problem";

/** The report for people, problems first. */
export function formatSections(sections: readonly Section[], style: Style): string {
  const signs: Readonly<Record<Finding["level"], string>> = {
    ...{ problem: style.red("problem"), warning: style.yellow("warning") },
    ...{ note: style.dim("note   "), fine: style.green("ok     ") },
  };
  const findings = sections.flatMap((section) => section.findings);
  const lines = Object.entries(signs).flatMap(([sign, shown]) =>
    findings.flatMap(({ level, todo, what }) => {
      if (level !== sign) return [];
      return [`${shown}  ${what}`, ...(todo === undefined ? [] : [`         ${style.dim("→")} ${todo}`])];
    }),
  );
  const troubles = findings.filter(isTrouble).length;
  const need = troubles === 1 ? "1 thing needs" : `${troubles} things need`;
  const sum = troubles === 0 ? style.green("No problems found.") : `${need} attention.`;
  return [...lines, "", sum].join("\n");
}
