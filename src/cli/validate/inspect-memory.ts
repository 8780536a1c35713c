/** Checks everything that a memory is made of, and changes nothing. */

import { formatLock } from "../../lock/format.js";
import type { LockState } from "../../lock/holders.js";
import { findOwnFlaws, type OwnFlaw } from "../../own/own-flaws.js";
import { findLocks } from "../doctor/machine.js";
import { idOf, listMemories, readShelves } from "../memory-files.js";
import { openLocks } from "../open-locks.js";
import { createProgress } from "../progress.js";
import type { Project } from "../project.js";
import { findFactIssues } from "./find-fact-issues.js";
import { findFileIssues } from "./find-file-issues.js";
import { findIndexIssues } from "./find-index-issues.js";
import { findLedgerIssues } from "./find-ledger-issues.js";
import { findLikenessIssues } from "./find-likeness-issues.js";
import { findStateIssues, stateOf } from "./find-state-issues.js";
import { findTextIssues } from "./find-text-issues.js";
import { type Issue, problem, warning } from "./issue.js";
import { readShelfState, type ShelfState } from "./shelf-state.js";

export interface Inspection {
  /** By file. */
  issues: readonly Issue[];
  /** How many can be read, including archived ones. */
  memories: number;
}

export async function inspectMemory(project: Project): Promise<Inspection> {
  const { cli, folders } = project;
  const { files } = cli;
  const { config } = await project.settings();
  const { inspect } = openLocks(project, "validate");
  const shelves = await readShelves(project);
  const states = await Promise.all(shelves.map((shelf) => readShelfState({ files, inspect }, shelf)));
  const issues = await findShelfIssues(project, states);
  issues.push(...(await findFactIssues(project, states)));
  for (const folder of new Set(shelves.map(({ place }) => stateOf(place))))
    for (const path of await findLocks(files, folder))
      issues.push(...findLockIssues(path, await inspect(path), cli.clock.now()));
  const named = new Set(issues.map(({ file }) => file));
  for (const flaw of await findOwnFlaws({ files, folders, config }))
    if (!named.has(flaw.path)) issues.push(toIssue(flaw));
  return {
    issues: issues.sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : 0)),
    memories: listMemories(shelves).length,
  };
}

async function findShelfIssues({ cli, settings }: Project, states: readonly ShelfState[]): Promise<Issue[]> {
  const { config } = await settings();
  const memories = listMemories(states);
  const keptOut = new Set(states.flatMap(listKeptOut));
  const progress = createProgress(cli, "Checking memories");
  const issues = states.flatMap((shelf, n) => {
    progress.step(n, states.length);
    return [
      ...findFileIssues(shelf),
      ...findLedgerIssues(shelf),
      ...findIndexIssues(shelf, config.autoMemory),
      ...findTextIssues(shelf, { memories, keptOut, nowMs: cli.clock.now() }),
      ...findStateIssues(shelf),
    ];
  });
  progress.end();
  return [...issues, ...findLikenessIssues(states)];
}

/** Ids of the memories outside of `private/` that git ignores. */
function listKeptOut({ isKeptOut, looked, place }: ShelfState): string[] {
  return looked.flatMap(({ path }) => (isKeptOut(path) ? [idOf(place, path)] : []));
}

function toIssue({ lacking, path, todo, what }: OwnFlaw): Issue {
  const says = `add ${(lacking ?? []).join(" and ")} at its end`;
  return problem({
    file: path,
    what,
    todo,
    ...(lacking && { fixes: [{ kind: "hide", path, rules: lacking, says }] }),
  });
}

function findLockIssues(path: string, state: LockState, nowMs: number): Issue[] {
  const { isSilent, says } = formatLock(state, nowMs);
  if (state.kind === "free") return [];
  if (isSilent)
    return [
      warning({
        file: path,
        what: says,
        todo: "nothing; the next process that needs it takes it over",
        fixes: [{ kind: "unlock", path, says: "release it, unless a process holds it by then" }],
      }),
    ];
  return state.token ? [] : [problem({ file: path, what: says, todo: "wait a minute and check again" })];
}
