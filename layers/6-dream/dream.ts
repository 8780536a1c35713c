/**
 * Tidies the memories of a project, under a lock that holds across processes:
 *
 *     renew     facts taken from files
 *     plan      merge duplicates, archive what is over and the like by rules; merge similar memories with a model, if
 *               one may be asked
 *     write     all changes with one swap; then old sessions' notes move to their archive
 *     record    in the dream state, in DREAMS.md and in the log
 *
 * Only facts change before the swap, so a dream can be aborted at any moment. If a memory changes meanwhile, it plans
 * again. User-wide memories are left alone.
 */
import { randomUUID } from "node:crypto";
import { formatError, StrataError } from "../../src/base/error.js";
import { inSlices, type Sliced } from "../../src/base/slices.js";
import type { Config } from "../../src/config/schema.js";
import type { Clock } from "../../src/io/clock.js";
import type { Files } from "../../src/io/files.js";
import type { HeldLock, Locks } from "../../src/io/locks.js";
import type { Log } from "../../src/io/log.js";
import type { LayerContext } from "../../src/kernel/layer-context.js";
import { findRefusal, findSecretIn } from "../../src/memory/draft.js";
import { findGoneFiles } from "../../src/memory/gone-files.js";
import { nameWords } from "../../src/memory/likeness.js";
import type { Memory } from "../../src/memory/memory.js";
import { hasHistory } from "../../src/memory/path.js";
import { effectiveImportance } from "../../src/memory/rank.js";
import { readConflictRecords } from "../../src/memory/store/conflict-log.js";
import type { Memories } from "../../src/memory/store/store.js";
import {
  type DreamState,
  isWatched,
  noteSuccess,
  readDreamState,
  writeDreamState,
} from "../../src/project/dream-state.js";
import type { Folders } from "../../src/project/folders.js";
import { checkFacts, type FactChange } from "../../src/sources/bootstrap/plan-bootstrap.js";
import { readTaken } from "../../src/sources/bootstrap/taken.js";
import { archiveNotes, findOldNotes } from "./archive-notes.js";
import {
  type AskModel,
  checkAnswer,
  createAskModel,
  type ModelAnswer,
  nameGroup,
  nameTry,
  planGroups,
} from "./ask-model.js";
import { planBackoff } from "./gates.js";
import { type DreamReport, formatCounts, writeDream } from "./page.js";
import {
  type Drafts,
  merge,
  nameFinding,
  planDream,
  type Retention,
  readChanges,
  readLiving,
} from "./plan.js";

export interface RunOptions {
  /** After this time the dream is aborted, with nothing changed. */
  maxRuntimeMs: number;
  /** Plans without changing anything. */
  isDry?: boolean;
  /** Why there should be no dream now, as a clause; asked again once the lock is held. */
  findObstacle?(state: DreamState): string | undefined;
  /** Asks a model about what the rules leave over; without it only the rules apply. */
  askModel?: AskModel;
  signal?: AbortSignal;
}

export type DreamOutcome =
  | { kind: "done" | "planned"; report: DreamReport }
  /** No dream was run: another process is dreaming, or a gate is closed. */
  | { kind: "refused"; why: string }
  | { kind: "failed"; why: string };

export interface DreamParts {
  clock: Clock;
  files: Files;
  folders: Folders;
  locks: Locks;
  log: Log;
  memories: Memories;
  retention: Config["retention"];
}

/** How far a dream has got, which decides what a failure means. */
interface Progress {
  isSwapping: boolean;
  outcome?: DreamOutcome;
}

const SOURCE = "dream";
/** A memory may change between the plan and the swap. */
const MOST_TRIES = 3;
/** Share of the dream's time; the rest suffices for the rules if the model never answers. */
const MODELS_SHARE = 0.8;
/** For each dream; the next one reports the rest. */
const MOST_FINDINGS = 20;

/** Never rejects. */
export async function runDream(parts: DreamParts, options: RunOptions): Promise<DreamOutcome> {
  const end = new AbortController();
  // A timer, so that a jump of the clock does not shorten the limit.
  const stop = parts.clock.after(options.maxRuntimeMs, () =>
    end.abort(new StrataError("EOVERRAN", `it took more than ${options.maxRuntimeMs} ms`)),
  );
  const signals = [end.signal, ...(options.signal ? [options.signal] : [])];
  const progress: Progress = { isSwapping: false };
  try {
    const action = async (lock: HeldLock): Promise<DreamOutcome> => {
      const signal = AbortSignal.any([...signals, lock.signal]);
      progress.outcome = await tidy(parts, options, { lock, progress, signal });
      return progress.outcome;
    };
    return await parts.locks.withLock(parts.folders.dreamLock, action, { waitMs: 0 });
  } catch (thrown) {
    // A failure after the swap does not undo it.
    return progress.outcome ?? (await recordFailure(parts, options, { thrown, progress }));
  } finally {
    stop();
  }
}

async function tidy(
  parts: DreamParts,
  options: RunOptions,
  { lock, progress, signal }: { lock: HeldLock; progress: Progress; signal: AbortSignal },
): Promise<DreamOutcome> {
  const { clock, files, folders, log, memories } = parts;
  const state = await readDreamState(files, folders.dreamState);
  // Another process may have finished a dream between the check and the lock.
  const why = options.findObstacle?.(state);
  if (why !== undefined) return { kind: "refused", why };
  const id = randomUUID().slice(0, 8);
  const run: DreamRun = { id, askModel: options.askModel, signal, state };
  let refusal = "";
  if (!options.isDry)
    // An unreadable file does not keep a dream from tidying the rest.
    await renewFacts(parts).catch((thrown) =>
      log.warn(SOURCE, `cannot renew facts from their files: ${formatError(thrown)}`),
    );
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const planned = await planRun(parts, run);
    const oldNotes = await findOldNotes(parts);
    const report = { id, time: new Date(clock.now()).toISOString(), ...planned, oldNotes: oldNotes.length };
    if (options.isDry) return { kind: "planned", report };
    signal.throwIfAborted();
    await lock.check();
    progress.isSwapping = true;
    const allChanged = await memories.changeAll(planned.changes, { operation: SOURCE, run: run.id });
    progress.isSwapping = false;
    if (allChanged.kind === "written") {
      await archiveNotes(parts, oldNotes);
      return { kind: "done", report: await recordSuccess(parts, run, report) };
    }
    refusal = allChanged.why;
  }
  throw new StrataError("EBUSY", `memories changed during each of ${MOST_TRIES} tries: ${refusal}`);
}

const hasCode = (thrown: unknown, code: string): boolean =>
  thrown instanceof StrataError && thrown.code === code;

type FactsParts = Pick<DreamParts, "clock" | "files" | "folders" | "log" | "memories">;

/**
 * Renews, drops and restores memories taken from files of the project. They remain the repository's words, so the user
 * has to accept a changed one again. All changes of a call are one run, which one undo reverts. Rejects with the system's
 * error.
 */
export async function renewFacts({ clock, files, folders, log, memories }: FactsParts): Promise<number> {
  const all = await memories.list({ archived: true });
  if (!all.some(readTaken)) return 0;
  const { project } = folders;
  const { changes, returns } = await checkFacts(all, { files, project, nowMs: clock.now() });
  const cause = { operation: "bootstrap", run: randomUUID().slice(0, 8), isForeign: true as const };
  const restored: FactChange[] = [];
  for (const change of returns) {
    const written = await memories.restore(change.before.id, { ...cause, reason: change.reason ?? "" });
    if (written.kind === "refused") log.info(SOURCE, `${change.before.id} not brought back: ${written.why}`);
    else restored.push(change);
  }
  const now = new Map((restored.length > 0 ? await memories.list() : []).map((one) => [one.id, one]));
  let renewed = 0;
  for (const { file, ...change } of [...changes, ...restored]) {
    const before = now.get(change.before.id) ?? change.before;
    const allChanged = await memories.changeAll([{ ...change, before }], cause);
    if (allChanged.kind === "written") renewed += allChanged.ids.length;
    else log.info(SOURCE, `${change.before.id} not renewed from ${file}: ${allChanged.why}`);
  }
  if (renewed > 0) log.info(SOURCE, `${renewed} facts renewed from their files`);
  return renewed;
}

/**
 * Returns the report as shown: only with findings that no earlier dream reported. A failure to record does not undo the
 * dream.
 */
async function recordSuccess(
  { clock, files, folders, log }: DreamParts,
  run: DreamRun,
  report: DreamReport,
): Promise<DreamReport> {
  const known = new Set(run.state.told);
  const fresh = report.findings.filter((one) => !known.has(nameFinding(one)));
  const shown = { ...report, findings: fresh.slice(0, MOST_FINDINGS) };
  try {
    await writeDreamState(files, folders.dreamState, planState(run, shown, clock.now()));
  } catch (thrown) {
    log.warn(SOURCE, `the dream is done, but its state cannot be written: ${formatError(thrown)}`);
  }
  await writeDream({ files, folder: folders.memory, log }, shown);
  const { changes, id, refused, usedModel } = report;
  log.info(SOURCE, `${id}: ${formatCounts(changes)}${usedModel ? ", with a model" : ""}`);
  for (const why of refused) log.warn(SOURCE, `${id}: rejected a change of the model: ${why}`);
  return shown;
}

function planState({ answer, state }: DreamRun, report: DreamReport, nowMs: number): DreamState {
  const told = report.findings.map(nameFinding);
  if (!answer || answer.kind === "refused") return noteSuccess(state, nowMs, { seen: [], told });
  // It answered with changes, and none was accepted.
  const isNonsense = report.refused.length > 0 && !report.usedModel;
  const isGood = answer.kind === "answered" && !isNonsense;
  const seen = answer.asked.map(isGood ? nameGroup : nameTry);
  return noteSuccess(state, nowMs, { model: isGood ? "good" : "bad", seen, told });
}

/** Never rejects. */
async function recordFailure(
  { clock, files, folders, log }: DreamParts,
  { isDry, signal }: RunOptions,
  { progress, thrown }: { progress: Progress; thrown: unknown },
): Promise<DreamOutcome> {
  const why = formatError(thrown);
  if (hasCode(thrown, "ELOCKED")) {
    log.info(SOURCE, why);
    return {
      kind: "refused",
      why: "another dream is running in this project; try again in a few minutes",
    };
  }
  if (signal?.aborted || isDry) return { kind: "failed", why };
  const isBegun = progress.isSwapping && !hasCode(thrown, "ENOTWRITTEN");
  const extent = isBegun ? "some changes may have been made" : "memory is unchanged";
  log.warn(SOURCE, `aborted, ${extent}: ${why}`);
  try {
    const state = await readDreamState(files, folders.dreamState);
    const failed = { ...state, failures: state.failures + 1, lastFailureMs: clock.now() };
    await writeDreamState(files, folders.dreamState, failed);
  } catch (again) {
    log.warn(SOURCE, `cannot record the failure: ${formatError(again)}`);
  }
  return { kind: "failed", why };
}

/** Runs a dream in this session, with a model if one may be asked. Never rejects. */
export async function dreamInSession(
  context: LayerContext,
  { sessionID, ...options }: { sessionID: string; signal: AbortSignal } & Pick<RunOptions, "findObstacle">,
): Promise<DreamOutcome> {
  const { checkpoints, clock, config, files, folders } = context;
  const { maxRuntime, maxTokens } = config.dream;
  await checkpoints.keep(sessionID, "dream");
  const deadlineMs = Math.floor(maxRuntime * MODELS_SHARE);
  const isAllowed = mayAskModel(await readDreamState(files, folders.dreamState), clock.now());
  const askModel = isAllowed && createAskModel({ ...context, sessionID, maxTokens, deadlineMs });
  const parts = { ...context, retention: config.retention };
  return runDream(parts, { maxRuntimeMs: maxRuntime, ...(askModel && { askModel }), ...options });
}

/** After a failure the model is not asked for a while; the rules still apply. */
function mayAskModel({ lastModelFailureMs, modelFailures }: DreamState, nowMs: number): boolean {
  if (modelFailures === 0 || lastModelFailureMs === undefined || lastModelFailureMs > nowMs) return true;
  return nowMs - lastModelFailureMs >= planBackoff(modelFailures);
}

/** Formats the outcome for people. */
export function formatOutcome(outcome: DreamOutcome, memoryFolder: string): string {
  if (outcome.kind === "refused" || outcome.kind === "failed") return `No dream: ${outcome.why}.`;
  const { changes, findings } = outcome.report;
  const look = findings.length > 0 ? [`${findings.length} to review`] : [];
  const more =
    changes.length + findings.length > 0
      ? [`details in ${memoryFolder}/DREAMS.md; /memory-undo undoes it`]
      : [];
  return [formatCounts(changes), ...look, ...more].join("\n");
}

/** The message after a dream; `undefined` if the dream changed nothing. */
export function formatNews(outcome: DreamOutcome): string | undefined {
  if (outcome.kind !== "done" || outcome.report.changes.length === 0) return undefined;
  return `memory tidied: ${formatCounts(outcome.report.changes)}`;
}

/* Plans a dream: reads what the rules need, then merges with a model what they leave over. Changes nothing. */

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
