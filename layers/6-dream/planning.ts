/** Plans a dream: reads what the rules need, then merges with a model what they leave over. Changes nothing. */

import { inSlices, type Sliced } from "../../src/base/slices.js";
import type { Clock } from "../../src/io/clock.js";
import type { Files } from "../../src/io/files.js";
import type { Log } from "../../src/io/log.js";
import { readConflictRecords } from "../../src/memory/conflict-records.js";
import { findRefusal } from "../../src/memory/draft.js";
import { findGoneFiles } from "../../src/memory/gone-files.js";
import { nameWords } from "../../src/memory/likeness.js";
import type { Memory } from "../../src/memory/memory.js";
import { hasHistory } from "../../src/memory/path.js";
import { effectiveImportance } from "../../src/memory/rank.js";
import { findSecretIn } from "../../src/memory/secret-gate.js";
import type { Memories } from "../../src/memory/store.js";
import { type DreamState, isWatched } from "../../src/project/dream-state.js";
import type { Folders } from "../../src/project/folders.js";
import { type AskModel, checkAnswer, type ModelAnswer, planGroups } from "./ask-model.js";
import type { DreamReport } from "./page.js";
import { type Drafts, merge, planDream, type Retention, readChanges, readLiving } from "./plan.js";

/** State of one run. A run may plan more than once, and asks the model once. */
export interface DreamRun {
  id: string;
  askModel: AskModel | undefined;
  signal: AbortSignal;
  state: DreamState;
  answer?: ModelAnswer;
}

export interface PlanningOptions {
  clock: Clock;
  files: Files;
  folders: Pick<Folders, "memory" | "project">;
  log: Log;
  memories: Pick<Memories, "list" | "useOf">;
  retention: Retention;
}

export type Planned = Pick<DreamReport, "changes" | "findings" | "keptOut" | "refused" | "usedModel">;

/** Rejects when the run's signal is aborted. */
export async function planRun(options: PlanningOptions, run: DreamRun): Promise<Planned> {
  const { clock, files, folders, memories, retention } = options;
  const { signal, state } = run;
  const all = await memories.list({ archived: true });
  // A person decides which version of these holds, and a change by a dream would pass for the decision.
  const conflicts = await readConflictRecords(files, folders.memory);
  const contested = new Set(conflicts.flatMap(({ id, otherID }) => [id, otherID ?? id]));
  const spared = new Set(state.spared);
  const tidied = await inSlices(clock, findTidied(all));
  const present = tidied.filter((memory) => !contested.has(memory.id) && !spared.has(nameWords(memory)));
  signal.throwIfAborted();
  const gone = await findGoneFiles({ files, project: folders.project }, present);
  signal.throwIfAborted();
  const nowMs = clock.now();
  const lastUsedMs = ({ id, updated }: Memory): number =>
    Math.max(memories.useOf(id)?.lastMs ?? 0, Date.parse(updated) || 0);
  const { drafts, findings } = planDream({
    memories: present,
    nowMs,
    effectiveImportance: (memory) => effectiveImportance(memory, memories.useOf(memory.id), nowMs),
    lastUsedMs,
    isWatchedSince: (timeMs) => isWatched(state, timeMs, nowMs),
    missingPaths: ({ id }) => gone.get(id) ?? [],
    retention,
  });
  const merged = await mergeWithModel(options, run, drafts);
  const keptOut = new Set(all.filter(({ isKeptOut }) => isKeptOut).map(({ id }) => id));
  return { changes: readChanges(drafts), findings, keptOut, ...merged };
}

/** The memories that a dream may change: not foreign ones, and none that the store would refuse to write. */
function* findTidied(all: readonly Memory[]): Sliced<Memory[]> {
  const tidied: Memory[] = [];
  for (const memory of all) {
    yield;
    const { isForeign, scope, status } = memory;
    if (isForeign || scope !== "project" || status === "archived" || !hasHistory(memory)) continue;
    if (findRefusal(memory) !== undefined) continue;
    if ((yield* findSecretIn(JSON.stringify(memory))) === undefined) tidied.push(memory);
  }
  return tidied;
}

/** Adds the model's merges to the drafts. */
async function mergeWithModel(
  { clock, log }: PlanningOptions,
  run: DreamRun,
  drafts: Drafts,
): Promise<Pick<Planned, "refused" | "usedModel">> {
  const living = readLiving(drafts);
  if (run.askModel && !run.answer) {
    const groups = planGroups(living, run.state.seen);
    run.answer =
      groups.length > 0
        ? await run.askModel(groups, run.signal)
        : { kind: "refused", why: "the rules left nothing to decide" };
    if (groups.length > 0 && run.answer.kind !== "answered")
      log.info("dream", `no model used: ${run.answer.why}`);
    run.signal.throwIfAborted();
  }
  if (run.answer?.kind !== "answered") return { refused: [], usedModel: false };
  // Leaves out memories that have changed since the model saw them.
  const contents = new Map(living.map(({ content, id }) => [id, content]));
  const groups = run.answer.asked.map((group) =>
    group.filter(({ content, id }) => contents.get(id) === content),
  );
  const { merges, refused } = await inSlices(clock, checkAnswer(run.answer.text, groups));
  for (const one of merges) merge(drafts, one);
  return { refused, usedModel: merges.length > 0 };
}
