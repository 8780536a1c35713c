/**
 * Tidies the memories of a project, under a lock that counts in all processes:
 *
 *     locate        which memories there are
 *     collect       which are like which, and which name files that are gone
 *     consolidate   what says the same becomes one, by rules; what is only alike, by a model, if one may be asked
 *     prune         what has ended or is forgotten goes to the archive, all of it in one swap
 *
 * Until the swap nothing is changed, so that it can be broken off at any moment. What somebody changes meanwhile has it
 * all planned anew. What holds everywhere, in all of the user's projects, is left alone.
 */

import { randomUUID } from "node:crypto";
import { formatError, StrataError } from "../../src/error.js";
import type { Folders } from "../../src/folders.js";
import type { HeldLock, Locks } from "../../src/lock/locks.js";
import { readConflictRecords } from "../../src/memory/conflict-records.js";
import { findGoneFiles } from "../../src/memory/gone-files.js";
import type { Memory } from "../../src/memory/memory.js";
import { effectiveImportance } from "../../src/memory/rank.js";
import type { Memories } from "../../src/memory/store.js";
import {
  type DreamState,
  isWatched,
  noteSuccess,
  readDreamState,
  writeDreamState,
} from "../../src/record/dream-state.js";
import type { Log } from "../../src/record/log.js";
import type { Clock } from "../../src/seams/clock.js";
import type { Files } from "../../src/seams/files.js";
import { inSlices } from "../../src/slices.js";
import { carryOut, compose, type DreamPlan, nameFinding } from "./change.js";
import { type Cluster, nameCluster, nameTry, nameWords, planClusters } from "./clusters.js";
import { type DreamReport, formatCounts } from "./dreams-page.js";
import type { SimilarTo } from "./duplicates.js";
import { findNeighbours } from "./neighbours.js";
import { createDreamPages } from "./pages.js";
import { planDream } from "./plan.js";
import { readStaged, type StagedCheck } from "./staged.js";
import { findTidied } from "./tidied.js";

export interface Dreams {
  /** Tidies now. Never rejects. */
  run(options: RunOptions): Promise<DreamOutcome>;
  /** As it is on disk. */
  state(): Promise<DreamState>;
}

export interface RunOptions {
  /** Broken off after so long; nothing is changed then. */
  maxRuntimeMs: number;
  /** Says what would be done, and does nothing. */
  isDry?: boolean;
  /** Asked once more when the lock is held; a sentence says why there is to be no dream. */
  findObstacle?(state: DreamState): string | undefined;
  /** Has a model look at what the rules leave; without it they are all there is. */
  askModel?: AskModel;
  signal?: AbortSignal;
}

/** What the model has staged for these clusters. Never rejects. */
export type AskModel = (clusters: readonly Cluster[], signal: AbortSignal) => Promise<ModelAnswer>;

export type ModelAnswer =
  | { kind: "staged"; text: string }
  /** It may not be asked now. */
  | { kind: "refused"; why: string }
  | { kind: "failed"; why: string };

export type DreamOutcome =
  | { kind: "done" | "planned"; report: DreamReport }
  /** There was none: somebody else dreams, or it is not the time. */
  | { kind: "refused"; why: string }
  | { kind: "failed"; why: string };

export interface DreamsOptions {
  clock: Clock;
  files: Files;
  folders: Folders;
  locks: Locks;
  log: Log;
  memories: Memories;
  /** May these words be kept? */
  check: StagedCheck;
}

const SOURCE = "dream";
/** Somebody may change a memory between the plan and the swap. */
const MOST_TRIES = 3;
/** Of one dream; the next one tells the others. */
const MOST_FINDINGS = 20;

/** What one run knows. */
interface Run {
  id: string;
  options: RunOptions;
  signal: AbortSignal;
  state: DreamState;
  /** What a model has staged, once it was asked. */
  answer?: ModelAnswer;
  clusters: readonly Cluster[];
}

/** How far a dream has come, for whoever has to say what its failure means. */
interface Progress {
  isSwapping: boolean;
  outcome?: DreamOutcome;
}

type Planned = DreamPlan & Pick<DreamReport, "refused" | "usedModel">;

export function createDreams(options: DreamsOptions): Dreams {
  const { check, clock, files, folders, locks, log, memories } = options;
  const pages = createDreamPages({ files, folder: folders.memory, log });

  return {
    state: () => readDreamState(files, folders.dreamState),

    async run(options) {
      const end = new AbortController();
      // A timer, so that a clock that jumps does not shorten it.
      const stop = clock.after(options.maxRuntimeMs, () =>
        end.abort(new StrataError("EOVERRAN", `it took more than ${options.maxRuntimeMs} ms`)),
      );
      const signal = AbortSignal.any([end.signal, ...(options.signal ? [options.signal] : [])]);
      const progress: Progress = { isSwapping: false };
      try {
        const action = async (lock: HeldLock): Promise<DreamOutcome> => {
          progress.outcome = await dream(options, { lock, progress, signal });
          return progress.outcome;
        };
        return await locks.withLock(folders.dreamLock, action, { waitMs: 0 });
      } catch (thrown) {
        // What fails behind it takes nothing back.
        return progress.outcome ?? (await fail(thrown, options, progress));
      } finally {
        stop();
      }
    },
  };

  async function dream(
    options: RunOptions,
    { lock, progress, signal }: { lock: HeldLock; progress: Progress; signal: AbortSignal },
  ): Promise<DreamOutcome> {
    const state = await readDreamState(files, folders.dreamState);
    // Somebody may have had one between the look and the lock.
    const why = state.later ?? options.findObstacle?.(state);
    if (why !== undefined) return { kind: "refused", why };
    const both = AbortSignal.any([signal, lock.signal]);
    const run: Run = { id: randomUUID().slice(0, 8), options, signal: both, state, clusters: [] };
    let refusal = "";
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const planned = await plan(run);
      const report = toReport(run, planned);
      if (options.isDry) return { kind: "planned", report };
      both.throwIfAborted();
      await lock.check();
      progress.isSwapping = true;
      const swapped = await memories.swap(planned.changes, { operation: SOURCE, run: run.id });
      progress.isSwapping = false;
      if (swapped.kind === "written") return await finish(run, report);
      refusal = swapped.why;
    }
    throw new StrataError("EBUSY", `the memories change all the time: ${refusal}`);
  }

  async function plan(run: Run): Promise<Planned> {
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
    });
    if (!run.options.askModel) return { ...planned, refused: [], usedModel: false };
    return consolidate(run, planned, { present, similarTo });
  }

  /** A person is asked which of two versions holds: a change here would pass for the answer. */
  async function findContested(): Promise<ReadonlySet<string>> {
    const records = await readConflictRecords(files, folders.memory);
    return new Set(records.flatMap(({ id, otherID }) => [id, otherID ?? id]));
  }

  /** What the model makes of what the rules leave. It is asked once a run. */
  async function consolidate(
    run: Run,
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
    // What is not as the model has seen it is not a member any more.
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

  async function ask({ clusters, options, signal }: Run): Promise<ModelAnswer> {
    if (clusters.length === 0 || !options.askModel) return { kind: "refused", why: "nothing is left for it" };
    const answer = await options.askModel(clusters, signal);
    if (answer.kind !== "staged") log.info(SOURCE, `without a model: ${answer.why}`);
    return answer;
  }

  /** All is done by now: what fails here is told, and changes nothing of that. */
  async function finish(run: Run, report: DreamReport): Promise<DreamOutcome> {
    const known = new Set(run.state.told);
    const fresh = report.findings.filter((one) => !known.has(nameFinding(one)));
    const told = { ...report, findings: fresh.slice(0, MOST_FINDINGS) };
    try {
      await writeDreamState(files, folders.dreamState, noteRun(run, told));
    } catch (thrown) {
      log.warn(SOURCE, `done, but it cannot be noted when: ${formatError(thrown)}`);
    }
    await pages.add(told);
    const counts = formatCounts(report.changes);
    log.info(SOURCE, `${report.id}: ${counts}${report.usedModel ? ", with a model" : ""}`);
    for (const why of report.refused) log.warn(SOURCE, `${report.id}: not taken from the model: ${why}`);
    return { kind: "done", report: told };
  }

  function noteRun({ answer, clusters, state }: Run, report: DreamReport): DreamState {
    const isBad = answer?.kind === "failed" || (answer?.kind === "staged" && isNonsense(report));
    const isGood = answer?.kind === "staged" && !isBad;
    return noteSuccess(state, clock.now(), {
      ...(isBad ? { model: "bad" } : isGood && { model: "good" }),
      seen: isGood ? clusters.map(nameCluster) : isBad ? clusters.map(nameTry) : [],
      told: report.findings.map(nameFinding),
    });
  }

  async function fail(
    thrown: unknown,
    { isDry = false, signal }: RunOptions,
    { isSwapping }: Progress,
  ): Promise<DreamOutcome> {
    const why = formatError(thrown);
    const code = thrown instanceof StrataError ? thrown.code : undefined;
    if (code === "ELOCKED") {
      log.info(SOURCE, why);
      return {
        kind: "refused",
        why: "somebody else is dreaming in this project; try again in a few minutes",
      };
    }
    if (signal?.aborted || isDry) return { kind: "failed", why };
    const isBegun = isSwapping && code !== "ENOTWRITTEN";
    log.warn(
      SOURCE,
      `broken off, ${isBegun ? "perhaps with a part of it done" : "memory is as it was"}: ${why}`,
    );
    try {
      const state = await readDreamState(files, folders.dreamState);
      const failed = { ...state, failures: state.failures + 1, lastFailureMs: clock.now() };
      await writeDreamState(files, folders.dreamState, failed);
    } catch (again) {
      log.warn(SOURCE, `cannot note that: ${formatError(again)}`);
    }
    return { kind: "failed", why };
  }

  function toReport({ id }: Run, planned: Planned): DreamReport {
    return { id, time: new Date(clock.now()).toISOString(), ...planned };
  }
}

/** Something was staged, and none of it could be taken. */
const isNonsense = ({ refused, usedModel }: DreamReport): boolean => refused.length > 0 && !usedModel;
