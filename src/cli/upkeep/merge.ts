/** `strata merge`: proposes memories that another one fully contains; with --execute, merges them as one step. */

import { randomUUID } from "node:crypto";
import { type Change, isProtected } from "../../../layers/6-dream/change.js";
import { findDuplicates } from "../../../layers/6-dream/duplicates.js";
import { takeIn } from "../../../layers/6-dream/take-in.js";
import { countMemories } from "../../format.js";
import { isFinding } from "../../memory/finding.js";
import type { Memory } from "../../memory/memory.js";
import { readType } from "../arguments.js";
import { exitCodes, type Run } from "../command.js";
import { withMemories } from "../open-memories.js";
import { openProject } from "../open-project.js";
import { type Merge, planPair } from "./mergeable.js";
import { findNearPairs } from "./near-pairs.js";
import { openConflictLog } from "./record-rivals.js";

export const run: Run = async (cli, { execute, json, type: given }) => {
  const { say, style, warn } = cli;
  const type = readType(given);
  const project = await openProject(cli);
  return withMemories(project, async (memories) => {
    const all = (await memories.list()).filter((memory) => type === undefined || memory.type === type);
    const open = await (await openConflictLog(project)).listOpen(await memories.list());
    const contested = new Set(open.flatMap(({ id, otherID }) => [id, otherID ?? id]));
    const merges = planMerges(all.filter(({ id }) => !contested.has(id)));
    const gone = merges.reduce((sum, { others }) => sum + others.length, 0);
    if (json) say(JSON.stringify({ isDone: execute === true, merges: merges.map(describe) }, null, 2));
    else for (const line of merges.flatMap(format)) say(line);
    if (gone === 0) {
      if (!json) say("Nothing to merge.");
      return exitCodes.fine;
    }
    if (!execute) {
      if (!json) say(`${countMemories(gone)} could go. Nothing was changed; --execute merges them.`);
      return exitCodes.fine;
    }
    const run = randomUUID().slice(0, 8);
    const swapped = await memories.swap(planChanges(merges), { operation: "merge", run });
    if (swapped.kind === "refused") {
      warn(`${style.red("Failed")}  ${swapped.why}`);
      return exitCodes.failed;
    }
    if (!json) say(`Merged ${countMemories(gone)}; strata undo --run ${run} takes that back.`);
    return exitCodes.fine;
  });
};

/**
 * Each memory is in at most one merge. Never archives pinned memories, directives, decisions, corrections or foreign
 * ones. Pure.
 */
export function planMerges(memories: readonly Memory[]): Merge[] {
  // Each quote stays with its source.
  const own = memories.filter(
    (memory) => !memory.isForeign && memory.status === "active" && !isFinding(memory),
  );
  const survivors = new Map<string, { survivor: Memory; others: Memory[] }>();
  const going = new Set<string>();
  const add = (survivor: Memory, gone: Memory): void => {
    if (isProtected(gone) || going.has(gone.id) || going.has(survivor.id) || survivors.has(gone.id)) return;
    going.add(gone.id);
    const merge = survivors.get(survivor.id);
    if (merge) merge.others.push(gone);
    else survivors.set(survivor.id, { survivor, others: [gone] });
  };
  for (const { others, survivor } of findDuplicates(own)) for (const other of others) add(survivor, other);
  for (const [one, other] of findNearPairs(own)) {
    const planned = planPair(one, other);
    if (planned) add(...planned);
  }
  return [...survivors.values()];
}

function planChanges(merges: readonly Merge[]): Pick<Change, "before" | "after" | "reason">[] {
  return merges.flatMap(({ others, survivor }) => [
    {
      before: survivor,
      after: takeIn(survivor, others),
      reason: `takes in ${others.map(({ id }) => id).join(", ")}`,
    },
    ...others.map((before) => ({
      before,
      after: { ...before, status: "archived" as const, supersededBy: survivor.id },
      reason: `${survivor.id} says it`,
    })),
  ]);
}

const describe = ({ others, survivor }: Merge): object => ({
  stays: survivor.id,
  goes: others.map(({ id }) => id),
});

const format = ({ others, survivor }: Merge): string[] => [
  `${survivor.id}  ${survivor.title}`,
  ...others.map(({ id, title }) => `  takes in ${id}  ${title}`),
];
