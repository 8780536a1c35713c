/** Which memories to add, renew and drop so that they state what the files of the project state. */

import type { Files } from "../../io/files.js";
import { findRefusal, planMemory, refuseSecrets } from "../../memory/draft.js";
import { formatID, type Memory } from "../../memory/memory.js";
import { formatMemoryFile, readTitle } from "../../memory/memory-file.js";
import { foldName, planName, splitPath } from "../../memory/path.js";
import type { MemoryCopy, PlannedChange } from "../../memory/store/store.js";
import { toSafeLine } from "../../text/secrets/secrets.js";
import { findSource, readFacts } from "./find-sources.js";
import {
  drop,
  GIT_HISTORY,
  isChangedByHand,
  nameFact,
  readTaken,
  renew,
  saysSame,
  type Taken,
  type TakenFact,
  toDraft,
} from "./taken.js";

export type FactChange = PlannedChange & { file: string };

export interface BootstrapPlan {
  add: (MemoryCopy & { title: string; file: string })[];
  /** Renewed and dropped ones. */
  change: FactChange[];
  /** Memories that already state what their files state. */
  kept: number;
  /** Memories that stay as they are although their file states otherwise, and why. */
  left: { name: string; why: string }[];
  refused: { name: string; why: string }[];
}

export interface BootstrapInput {
  facts: readonly TakenFact[];
  /** Every memory of the project, archived ones too. */
  existing: readonly Memory[];
  /** Files read completely; no fact of another file is dropped. */
  read: ReadonlySet<string>;
  /** Ids of archived memories whose addition was undone. */
  undone: ReadonlySet<string>;
  /** Paths of all files where a memory may be, readable or not. */
  paths: readonly string[];
  nowMs: number;
}

interface Known {
  memory: Memory;
  taken: Taken;
}

/** Pure. */
export function planBootstrap(input: BootstrapInput): BootstrapPlan {
  const { existing, facts, nowMs, paths, read, undone } = input;
  const plan: BootstrapPlan = { add: [], change: [], kept: 0, left: [], refused: [] };
  const known = listKnown(existing);
  const active = mapByName(known.filter((one) => !isArchived(one)));
  const archived = mapByName(
    known.filter((one) => isArchived(one) && !one.taken.gone && !undone.has(one.memory.id)),
  );
  const names = new Set(paths.flatMap((path) => splitPath(path) ?? []).map(nameOf));
  const stated = new Set<string>();
  for (const fact of facts) {
    const name = nameFact({ as: fact.key, file: fact.file });
    stated.add(name);
    const there = active.get(name);
    const id = archived.get(name)?.memory.id;
    if (there) planRenewal(there, fact);
    else if (id !== undefined)
      plan.left.push({ name: id, why: `it was archived; strata memory restore ${id} brings it back` });
    else add(fact);
  }
  for (const [name, { memory, taken }] of active) {
    if (stated.has(name) || !read.has(taken.file)) continue;
    const reason = `${taken.file} no longer says it`;
    if (isChangedByHand(memory, taken))
      plan.left.push({ name: memory.id, why: `${reason}, but it was changed by hand` });
    else plan.change.push({ before: memory, after: drop(memory, taken), file: taken.file, reason });
  }
  return plan;

  function planRenewal({ memory, taken }: Known, fact: TakenFact): void {
    const { file } = fact;
    const reason = `${file} has changed`;
    if (saysSame(memory, taken, fact)) plan.kept++;
    else if (isChangedByHand(memory, taken))
      plan.left.push({ name: memory.id, why: `${reason}, but so was the memory, by hand` });
    else plan.change.push({ before: memory, after: renew(memory, fact, nowMs), file, reason });
  }

  function add(fact: TakenFact): void {
    const memory = planMemory(toDraft(fact), readTitle, nowMs);
    const why = findRefusal(memory) ?? refuseSecrets(memory);
    if (why !== undefined) {
      plan.refused.push({ name: `${toSafeLine(memory.title, 120)} (${fact.file})`, why });
      return;
    }
    const { title, type } = memory;
    const inUse = [...names].flatMap((one) =>
      one.startsWith(`${type}/`) ? [one.slice(type.length + 1)] : [],
    );
    const name = planName(title, type, new Set(inUse));
    names.add(nameOf({ name, type }));
    const id = formatID({ ...memory, name });
    plan.add.push({ id, isArchived: false, contents: formatMemoryFile(memory), title, file: fact.file });
  }
}

const nameOf = ({ name, type }: { name: string; type: string }): string => `${type}/${foldName(name)}`;

function listKnown(memories: readonly Memory[]): Known[] {
  return memories.flatMap((memory) => {
    const taken = memory.scope === "project" ? readTaken(memory) : undefined;
    return taken ? [{ memory, taken }] : [];
  });
}

const isArchived = ({ memory }: Known): boolean => memory.status === "archived";
const mapByName = (known: readonly Known[]) => new Map(known.map((one) => [nameFact(one.taken), one]));

/**
 * Compares memories with the files that they were taken from; adds no facts. A file counts as changed only if its facts
 * have changed. `memories`: all of the project, archived ones too. `changes`: renewed and dropped ones; `returns`: archived
 * ones to be restored, then renewed: dropped before, and stated again. Never rejects because of a file's contents.
 */
export async function checkFacts(
  memories: readonly Memory[],
  { files, nowMs, project }: { files: Files; project: string; nowMs: number },
) {
  const known = listKnown(memories).filter(({ taken }) => taken.file !== GIT_HISTORY);
  const paths: string[] = [];
  const gone: string[] = [];
  for (const file of new Set(known.map(({ taken }) => taken.file))) {
    const found = await findSource(files, project, file);
    if (found === "source") paths.push(file);
    else if (found === "gone") gone.push(file);
  }
  const { facts, read } = await readFacts(files, project, paths);
  const existing = known.map(({ memory }) => memory);
  const asked = { facts, existing, nowMs, paths: [], undone: new Set<string>() };
  const plan = planBootstrap({ ...asked, read: new Set([...read, ...gone]) });
  const there = new Set(known.flatMap(({ taken }) => (taken.gone ? [] : [nameFact(taken)])));
  const dropped = mapByName(
    known
      .filter((one) => isArchived(one) && one.taken.gone && !isChangedByHand(one.memory, one.taken))
      // Of several, the one changed last.
      .sort((a, b) => (a.memory.updated < b.memory.updated ? -1 : 1)),
  );
  const returns = facts.flatMap((fact): FactChange[] => {
    const name = nameFact({ as: fact.key, file: fact.file });
    const before = there.has(name) ? undefined : dropped.get(name)?.memory;
    if (!before) return [];
    const after: Memory = { ...renew(before, fact, nowMs), status: "active" };
    return [{ before, after, file: fact.file, reason: `${fact.file} says it again` }];
  });
  return { changes: plan.change, returns };
}
