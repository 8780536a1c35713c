/** Plans a dream: by rules first, then with the changes that a model stages for similar memories. Changes nothing. */

import type { Folders } from "../../src/folders.js";
import { readConflictRecords } from "../../src/memory/conflict-records.js";
import { findGoneFiles } from "../../src/memory/gone-files.js";
import type { Memory } from "../../src/memory/memory.js";
import { effectiveImportance } from "../../src/memory/rank.js";
import type { Memories } from "../../src/memory/store.js";
import { type DreamState, isWatched } from "../../src/record/dream-state.js";
import type { Log } from "../../src/record/log.js";
import type { Clock } from "../../src/seams/clock.js";
import type { Files } from "../../src/seams/files.js";
import { inSlices } from "../../src/slices.js";
import type { DreamPlan } from "./change.js";
import { carryOut, compose } from "./change.js";
import { type Cluster, nameWords, planClusters } from "./clusters.js";
import type { DreamReport } from "./dreams-page.js";
import type { SimilarTo } from "./duplicates.js";
import { findNeighbours } from "./neighbours.js";
import { planDream, type Retention } from "./plan.js";
import { readStaged, type StagedCheck } from "./staged.js";
import { findTidied } from "./tidied.js";

/** Returns the model's staged changes for these clusters. Never rejects. */
export type AskModel = (clusters: readonly Cluster[], signal: AbortSignal) => Promise<ModelAnswer>;

export type ModelAnswer =
  | { kind: "staged"; text: string }
  /** The model may not be asked now. */
  | { kind: "refused"; why: string }
  | { kind: "failed"; why: string };

/** State of one run. A run may plan more than once, and asks the model once. */
export interface DreamRun {
  id: string;
  askModel: AskModel | undefined;
  signal: AbortSignal;
  state: DreamState;
  answer?: ModelAnswer;
  /** The clusters shown to the model. */
  clusters: readonly Cluster[];
}

export type Planned = DreamPlan & Pick<DreamReport, "keptOut" | "refused" | "usedModel">;

export interface DreamPlanningOptions {
  clock: Clock;
  files: Files;
  folders: Pick<Folders, "memory" | "project">;
  log: Log;
  memories: Pick<Memories, "list" | "useOf">;
  /** May this text be stored? */
  check: StagedCheck;
  retention: Retention;
}

/** The plan rejects when the run's signal is aborted. */
export function createDreamPlanning(options: DreamPlanningOptions): (run: DreamRun) => Promise<Planned> {
  const { check, clock, files, folders, log, memories, retention } = options;

  return async (run) => {
    const all = await memories.list({ archived: true });
    const contested = await findContested();
    const spared = new Set(run.state.spared);
    const tidied = await inSlices(clock, findTidied(all, check));
    const present = tidied.filter((memory) => !contested.has(memory.id) && !spared.has(nameWords(memory)));
    run.signal.throwIfAborted();
    const similarTo = await findNeighbours(present, clock, run.signal);
    const gone = await findGoneFiles({ files, project: folders.project }, present);
    run.signal.throwIfAborted();
    const planned = planDream({
      memories: present,
      nowMs: clock.now(),
      similarTo,
      effectiveImportance: (memory) => effectiveImportance(memory, memories.useOf(memory.id), clock.now()),
      lastUsedMs: (memory) =>
        Math.max(memories.useOf(memory.id)?.lastMs ?? 0, Date.parse(memory.updated) || 0),
      isWatchedSince: (timeMs) => isWatched(run.state, timeMs, clock.now()),
      missingPaths: ({ id }) => gone.get(id) ?? [],
      retention,
    });
    const keptOut = new Set(all.filter(({ isKeptOut }) => isKeptOut).map(({ id }) => id));
    if (!run.askModel) return { ...planned, refused: [], usedModel: false, keptOut };
    return { ...(await consolidate(run, planned, { present, similarTo })), keptOut };
  };

  /** Ids in open conflicts: a person decides which version holds, and a change by a dream would pass for the decision. */
  async function findContested(): Promise<ReadonlySet<string>> {
    const records = await readConflictRecords(files, folders.memory);
    return new Set(records.flatMap(({ id, otherID }) => [id, otherID ?? id]));
  }

  async function consolidate(
    run: DreamRun,
    planned: DreamPlan,
    { present, similarTo }: { present: readonly Memory[]; similarTo: SimilarTo },
  ): Promise<Planned> {
    const tidied = carryOut(present, planned.changes);
    if (!run.answer) {
      run.clusters = planClusters(tidied, similarTo, run.state.seen);
      run.answer = await ask(run);
      run.signal.throwIfAborted();
    }
    if (run.answer.kind !== "staged") return { ...planned, refused: [], usedModel: false };
    // Leaves out memories that have changed since the model saw them.
    const byID = new Map(tidied.map((memory) => [memory.id, memory]));
    const clusters = run.clusters.map((cluster) =>
      cluster.filter((memory) => byID.get(memory.id)?.content === memory.content),
    );
    const staged = await inSlices(clock, readStaged(run.answer.text, clusters, check));
    return {
      changes: compose(planned.changes, staged.changes),
      findings: planned.findings,
      refused: staged.refused,
      usedModel: staged.changes.length > 0,
    };
  }

  async function ask({ askModel, clusters, signal }: DreamRun): Promise<ModelAnswer> {
    if (clusters.length === 0 || !askModel)
      return { kind: "refused", why: "the rules left nothing to decide" };
    const answer = await askModel(clusters, signal);
    if (answer.kind !== "staged") log.info("dream", `no model used: ${answer.why}`);
    return answer;
  }
}
