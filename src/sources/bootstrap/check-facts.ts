/**
 * Compares memories with the files that they were taken from, without a command:
 *
 *     the file states something else     renew the memory
 *     it no longer states it, or is gone  drop the memory to the archive
 *     it states it again                 bring the memory back, if dropped for that reason
 *     a person changed the memory too    leave it, in doubt
 *
 * Adds no facts. A file counts as changed only if its facts have changed.
 */
import { join } from "node:path";
import type { Files } from "../../io/files.js";
import type { Memory } from "../../memory/memory.js";
import { findWay } from "../../memory/store/entries.js";
import type { PlannedChange } from "../../memory/store/store.js";
import { findSource, MOST_BYTES, readFacts, type Source } from "./find-sources.js";
import { planBootstrap } from "./plan-bootstrap.js";
import { GIT_HISTORY, isChangedByHand, nameFact, readTaken, renew, type Taken } from "./taken.js";

export type FactChange = PlannedChange & { file: string };

export interface CheckedFacts {
  /** Renewed and dropped ones. */
  changes: FactChange[];
  /** Archived ones to be restored, then renewed. */
  returns: FactChange[];
  /** By id of a memory that stays as it is: its file, which states otherwise or cannot be read. */
  doubted: ReadonlyMap<string, string>;
}

export interface CheckOptions {
  files: Files;
  project: string;
  nowMs: number;
}

/** `memories`: all of the project, archived ones too. Never rejects because of a file's contents. */
export async function checkFacts(memories: readonly Memory[], options: CheckOptions): Promise<CheckedFacts> {
  const { files, nowMs, project } = options;
  const known = memories.flatMap((memory) => {
    const taken = memory.scope === "project" ? readTaken(memory) : undefined;
    return taken && taken.file !== GIT_HISTORY ? [{ memory, taken }] : [];
  });
  const sources: Source[] = [];
  const gone = new Set<string>();
  for (const file of new Set(known.map(({ taken }) => taken.file))) {
    const source = await findSource(files, project, file);
    if (!source && (await isGone(files, project, file))) gone.add(file);
    if (source && source.bytes <= MOST_BYTES) sources.push(source);
  }
  const { facts, read } = await readFacts(files, project, sources);
  const existing = known.map(({ memory }) => memory);
  const plan = planBootstrap({
    ...{ facts, existing, nowMs, paths: [], undone: new Set<string>() },
    read: new Set([...read, ...gone]),
  });
  const unread = new Set(sources.flatMap(({ path }) => (read.has(path) ? [] : [path])));
  const left = new Set(plan.left.map(({ name }) => name));
  const doubted = known.filter(
    ({ memory, taken }) => memory.status === "active" && (left.has(memory.id) || unread.has(taken.file)),
  );
  return {
    changes: plan.change,
    returns: planReturns(known, { facts, nowMs }),
    doubted: new Map(doubted.map(({ memory, taken }) => [memory.id, taken.file])),
  };
}

/** Not merely unreadable, a link, or of another kind. */
async function isGone(files: Files, project: string, file: string): Promise<boolean> {
  if (file.split("/").some((part) => part === "" || part === "." || part === "..")) return false;
  const way = await findWay(files, project, file);
  return way.kind === "missing" && (await files.statItself(join(project, file))) === undefined;
}

interface Known {
  memory: Memory;
  taken: Taken;
}

/** Dropped facts that their file states again; of several, the one changed last. */
function planReturns(
  known: readonly Known[],
  { facts, nowMs }: { facts: Awaited<ReturnType<typeof readFacts>>["facts"]; nowMs: number },
): FactChange[] {
  const there = new Set(known.flatMap(({ taken }) => (taken.gone ? [] : [nameFact(taken)])));
  const dropped = new Map(
    known
      .filter(
        ({ memory, taken }) => taken.gone && memory.status === "archived" && !isChangedByHand(memory, taken),
      )
      .sort((a, b) => (a.memory.updated < b.memory.updated ? -1 : 1))
      .map((one) => [nameFact(one.taken), one]),
  );
  return facts.flatMap((fact) => {
    const name = nameFact({ as: fact.key, file: fact.file });
    const before = there.has(name) ? undefined : dropped.get(name)?.memory;
    if (!before) return [];
    const after: Memory = { ...renew(before, fact, nowMs), status: "active" };
    return [{ before, after, file: fact.file, reason: `${fact.file} says it again` }];
  });
}
