/** Plans which memories to add, renew and drop so that they state what the files state. Pure. */
import { atOnce } from "../../base/slices.js";
import { findRefusal, planMemory, refuseSecrets } from "../../memory/draft.js";
import { formatID, type Memory, type MemoryType } from "../../memory/memory.js";
import { formatMemoryFile, readTitle } from "../../memory/memory-file.js";
import { foldName, planName, splitPath } from "../../memory/path.js";
import type { MemoryCopy, PlannedChange } from "../../memory/store/store.js";
import { toSafeLine } from "../../text/text.js";
import {
  drop,
  isChangedByHand,
  nameFact,
  readTaken,
  renew,
  saysSame,
  type Taken,
  type TakenFact,
  toDraft,
} from "./taken.js";

export interface BootstrapPlan {
  add: (MemoryCopy & { title: string; file: string })[];
  /** Renewed and dropped ones. */
  change: (PlannedChange & { file: string })[];
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

export function planBootstrap(input: BootstrapInput): BootstrapPlan {
  const { existing, facts, nowMs, read, undone } = input;
  const plan: BootstrapPlan = { add: [], change: [], kept: 0, left: [], refused: [] };
  const known = existing.flatMap((memory): Known[] => {
    const taken = readTaken(memory);
    return taken && memory.scope === "project" ? [{ memory, taken }] : [];
  });
  const active = new Map<string, Known>();
  const aside = new Map<string, Known>();
  for (const one of known) {
    if (one.memory.status !== "archived") active.set(nameFact(one.taken), one);
    else if (!one.taken.gone && !undone.has(one.memory.id)) aside.set(nameFact(one.taken), one);
  }
  const names = groupNames(input.paths);
  const stated = new Set<string>();
  for (const fact of facts) {
    const name = nameFact({ as: fact.key, file: fact.file });
    stated.add(name);
    const there = active.get(name);
    const archived = aside.get(name);
    if (there) planRenewal(there, fact);
    else if (archived) left(archived, `it was archived; strata restore ${archived.memory.id} brings it back`);
    else add(fact);
  }
  for (const [name, { memory, taken }] of active) {
    if (stated.has(name) || !read.has(taken.file)) continue;
    if (isChangedByHand(memory, taken))
      left({ memory, taken }, `${taken.file} no longer says it, but it was changed by hand`);
    else
      plan.change.push({
        ...{ before: memory, after: drop(memory, taken), file: taken.file },
        reason: `${taken.file} no longer says it`,
      });
  }
  return plan;

  function planRenewal({ memory, taken }: Known, fact: TakenFact): void {
    if (saysSame(memory, taken, fact)) plan.kept++;
    else if (isChangedByHand(memory, taken))
      left({ memory, taken }, `${fact.file} has changed, but so was the memory, by hand`);
    else
      plan.change.push({
        ...{ before: memory, after: renew(memory, fact, nowMs), file: fact.file },
        reason: `${fact.file} has changed`,
      });
  }

  function left({ memory }: Known, why: string): void {
    plan.left.push({ name: memory.id, why });
  }

  function add(fact: TakenFact): void {
    const memory = planMemory(toDraft(fact), readTitle, nowMs);
    const why = findRefusal(memory) ?? atOnce(refuseSecrets(memory));
    if (why !== undefined) {
      plan.refused.push({ name: `${toSafeLine(memory.title, 120)} (${fact.file})`, why });
      return;
    }
    const taken = names.get(fact.type) ?? new Set();
    const name = planName(memory.title, fact.type, taken);
    names.set(fact.type, taken.add(foldName(name)));
    const id = formatID({ ...memory, name });
    const contents = formatMemoryFile(memory);
    plan.add.push({ id, isArchived: false, contents, title: memory.title, file: fact.file });
  }
}

function groupNames(paths: readonly string[]): Map<MemoryType, Set<string>> {
  const names = new Map<MemoryType, Set<string>>();
  for (const { name, type } of paths.flatMap((path) => splitPath(path) ?? []))
    names.set(type, (names.get(type) ?? new Set()).add(foldName(name)));
  return names;
}
