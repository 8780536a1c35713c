/**
 * Tidies the memories of a project, under a lock that holds across processes:
 *
 *     renew     facts taken from files
 *     plan      merge duplicates, archive what is over and the like by rules; merge similar memories with a model, if
 *               one may be asked
 *     write     all changes at once
 *     record    in the dream state, with the files that no session needs, which are put away then; in DREAMS.md and the log
 *
 * Only facts change before the write, so a dream can be aborted at any moment. If a memory changes meanwhile, it plans
 * again. User-wide memories are left alone.
 */
import { randomUUID } from "node:crypto";
import { formatError, StrataError } from "../../src/base/error.js";
import { inSlices, type Sliced } from "../../src/base/slices.js";
import type { HeldLock, Locks } from "../../src/io/locks.js";
import type { LayerContext } from "../../src/kernel/layer-context.js";
import { findRefusal, findSecretIn } from "../../src/memory/draft.js";
import { findGoneFiles } from "../../src/memory/gone-files.js";
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
import { checkFacts } from "../../src/sources/bootstrap/plan-bootstrap.js";
import { readTaken } from "../../src/sources/bootstrap/taken.js";
import {
  type AskModel,
  checkAnswer,
  createAskModel,
  type ModelAnswer,
  nameGroup,
  planGroups,
} from "./ask-model.js";
import { isWithin } from "./gates.js";
import { type DreamReport, formatCounts, writeDream } from "./page.js";
import { type Drafts, merge, nameWords, planDream, readChanges, readLiving } from "./plan.js";
import { listExpired, type PutAwayParts, planMoves, putAway } from "./put-away.js";

export interface RunOptions {
  /** After this time the dream is aborted, with nothing changed. */
  maxRuntimeMs: number;
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

export interface DreamParts extends PutAwayParts {
  locks: Locks;
  memories: Memories;
}

interface Dream extends RunOptions {
  id: string;
  signal: AbortSignal;
  answer?: ModelAnswer;
  /** From then on a failure may leave some changes. */
  isWriting: boolean;
  outcome?: DreamOutcome;
}

const SOURCE = "dream";
/** A memory may change between the plan and the write. */
const MOST_TRIES = 3;
/** Share of the dream's time; the rest suffices for the rules if the model never answers. */
const MODELS_SHARE = 0.8;

/** Never rejects. */
export async function runDream(parts: DreamParts, options: RunOptions): Promise<DreamOutcome> {
  const end = new AbortController();
  // A timer, so that a jump of the clock does not shorten the limit.
  const stop = parts.clock.after(options.maxRuntimeMs, () =>
    end.abort(new StrataError("EOVERRAN", `it took more than ${options.maxRuntimeMs} ms`)),
  );
  const signals = [end.signal, ...(options.signal ? [options.signal] : [])];
  const dream: Dream = { ...options, id: randomUUID().slice(0, 8), signal: end.signal, isWriting: false };
  try {
    const action = async (lock: HeldLock): Promise<DreamOutcome> => {
      dream.signal = AbortSignal.any([...signals, lock.signal]);
      dream.outcome = await tidy(parts, dream, lock);
      return dream.outcome;
    };
    return await parts.locks.withLock(parts.folders.dreamLock, action, { waitMs: 0 });
  } catch (thrown) {
    // A failure after the write does not undo it.
    return dream.outcome ?? (await recordFailure(parts, dream, { thrown, signal: options.signal }));
  } finally {
    stop();
  }
}

async function tidy(parts: DreamParts, dream: Dream, lock: HeldLock): Promise<DreamOutcome> {
  const { clock, files, folders, log, memories } = parts;
  const { id } = dream;
  const state = await readDreamState(files, folders.dreamState);
  // Another process may have finished a dream between the check and the lock.
  const why = dream.findObstacle?.(state);
  if (why !== undefined) return { kind: "refused", why };
  let refusal = "";
  if (!dream.isDry)
    // An unreadable file does not keep a dream from tidying the rest.
    await renewFacts(parts).catch((thrown) =>
      log.warn(SOURCE, `cannot renew facts from their files: ${formatError(thrown)}`),
    );
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const head = { id, time: new Date(clock.now()).toISOString() };
    const planned = await plan(parts, dream, state);
    const report = { ...head, ...planned, moves: await planMoves(parts, head) };
    if (dream.isDry) return { kind: "planned", report };
    dream.signal.throwIfAborted();
    await lock.check();
    dream.isWriting = true;
    const written = await memories.changeAll(planned.changes, { operation: SOURCE, run: id });
    dream.isWriting = false;
    if (written.kind === "written") {
      // What is not recorded is not moved: an undo could not move it back.
      const isRecorded = await recordSuccess(parts, { dream, report, state });
      const done = { ...report, moves: isRecorded ? await putAway(parts, report.moves) : [] };
      await writeDream({ files, folder: folders.memory, log }, done);
      log.info(SOURCE, `${id}: ${formatCounts(done)}${done.usedModel ? ", with a model" : ""}`);
      for (const why of done.refused) log.warn(SOURCE, `${id}: rejected a change of the model: ${why}`);
      return { kind: "done", report: done };
    }
    refusal = written.why;
  }
  throw new StrataError("EBUSY", `memories changed during each of ${MOST_TRIES} tries: ${refusal}`);
}

/**
 * Renews, drops and restores memories taken from files of the project. They remain the repository's words, so the user
 * has to accept a changed one again. All changes of a call are one run, which one undo reverts. Rejects with the system's
 * error.
 */
export async function renewFacts(
  parts: Pick<DreamParts, "clock" | "files" | "folders" | "log" | "memories">,
): Promise<void> {
  const { clock, files, folders, log, memories } = parts;
  const all = await memories.list({ archived: true });
  if (!all.some(readTaken)) return;
  const options = { files, project: folders.project, nowMs: clock.now() };
  const { changes, returns } = await checkFacts(all, options);
  const cause = { operation: "bootstrap", run: randomUUID().slice(0, 8), isForeign: true as const };
  for (const change of returns) {
    const written = await memories.restore(change.before.id, { ...cause, reason: change.reason ?? "" });
    if (written.kind === "refused") log.info(SOURCE, `${change.before.id} not brought back: ${written.why}`);
    else changes.push(change);
  }
  const restored = new Map((returns.length > 0 ? await memories.list() : []).map((one) => [one.id, one]));
  let renewed = 0;
  for (const { file, ...change } of changes) {
    const before = restored.get(change.before.id) ?? change.before;
    const written = await memories.changeAll([{ ...change, before }], cause);
    if (written.kind === "written") renewed += written.ids.length;
    else log.info(SOURCE, `${change.before.id} not renewed from ${file}: ${written.why}`);
  }
  if (renewed > 0) log.info(SOURCE, `${renewed} facts renewed from their files`);
}

type Planned = Omit<DreamReport, "id" | "moves" | "time">;

async function plan(parts: DreamParts, dream: Dream, state: DreamState): Promise<Planned> {
  const { clock, files, folders, memories } = parts;
  const all = await memories.list({ archived: true });
  // A person decides which version of these holds, and a change by a dream would pass for the decision.
  const conflicts = await readConflictRecords(files, folders.memory);
  const contested = new Set(conflicts.flatMap(({ id, otherID }) => [id, otherID ?? id]));
  const spared = new Set(state.spared);
  const tidied = await inSlices(clock, findTidied(all));
  const present = tidied.filter((memory) => !contested.has(memory.id) && !spared.has(nameWords(memory)));
  const gone = await findGoneFiles({ files, project: folders.project }, present);
  dream.signal.throwIfAborted();
  const nowMs = clock.now();
  const { contradictions, drafts, stale } = planDream({
    memories: present,
    nowMs,
    effectiveImportance: (memory) => effectiveImportance(memory, memories.useOf(memory.id), nowMs),
    lastUsedMs: ({ id, updated }) => Math.max(memories.useOf(id)?.lastMs ?? 0, Date.parse(updated) || 0),
    isWatchedSince: (timeMs) => isWatched(state, timeMs, nowMs),
    missingPaths: ({ id }) => gone.get(id) ?? [],
  });
  const merged = await mergeWithModel(parts, dream, { drafts, seen: state.seen });
  return { changes: readChanges(drafts), contradictions, stale, ...merged };
}

/** The memories that a dream may change: not foreign ones, and none that the store would refuse to write. */
function* findTidied(all: readonly Memory[]): Sliced<Memory[]> {
  const tidied: Memory[] = [];
  for (const memory of all) {
    yield;
    const { isForeign, scope, status } = memory;
    if (isForeign || scope !== "project" || status === "archived" || !hasHistory(memory)) continue;
    if (findRefusal(memory) !== undefined) continue;
    if (findSecretIn(JSON.stringify(memory)) === undefined) tidied.push(memory);
  }
  return tidied;
}

async function mergeWithModel(
  { clock, log }: DreamParts,
  dream: Dream,
  { drafts, seen }: { drafts: Drafts; seen: readonly string[] },
): Promise<Pick<Planned, "refused" | "usedModel">> {
  const living = readLiving(drafts);
  const groups = dream.askModel && !dream.answer ? planGroups(living, seen) : [];
  if (dream.askModel && groups.length > 0) {
    dream.answer = await dream.askModel(groups, dream.signal);
    if (dream.answer.kind !== "answered") log.info(SOURCE, `no model used: ${dream.answer.why}`);
    dream.signal.throwIfAborted();
  }
  if (dream.answer?.kind !== "answered") return { refused: [], usedModel: false };
  // Leaves out memories that have changed since the model saw them.
  const contents = new Map(living.map(({ content, id }) => [id, content]));
  const asked = dream.answer.asked.map((group) =>
    group.filter(({ content, id }) => contents.get(id) === content),
  );
  const { merges, refused } = await inSlices(clock, checkAnswer(dream.answer.text, asked));
  for (const one of merges) merge(drafts, one);
  return { refused, usedModel: merges.length > 0 };
}

/** Returns whether it is recorded: a failure does not undo the dream. */
async function recordSuccess(
  { clock, files, folders, log }: DreamParts,
  { dream, report, state }: { dream: Dream; report: DreamReport; state: DreamState },
): Promise<boolean> {
  const { contradictions, moves: moved, refused, stale, usedModel } = report;
  const { answer } = dream;
  // It answered with changes, and none was accepted.
  const isNonsense = refused.length > 0 && !usedModel;
  const isGood = answer?.kind === "answered" && !isNonsense;
  const asked = answer && answer.kind !== "refused" && { hasModelFailed: !isGood };
  const seen = isGood ? answer.asked.map(nameGroup) : [];
  try {
    const next = noteSuccess(state, clock.now(), { ...asked, contradictions, seen, stale, moved });
    await writeDreamState(files, folders.dreamState, next);
    return true;
  } catch (thrown) {
    log.warn(SOURCE, `the dream is done, but its state cannot be written: ${formatError(thrown)}`);
    return false;
  }
}

/** Never rejects. `signal`: of the caller, whose abort is no failure. */
async function recordFailure(
  { clock, files, folders, log }: DreamParts,
  { isDry, isWriting }: Dream,
  { signal, thrown }: { thrown: unknown; signal: AbortSignal | undefined },
): Promise<DreamOutcome> {
  const why = formatError(thrown);
  const code = thrown instanceof StrataError ? thrown.code : "";
  if (code === "ELOCKED") {
    log.info(SOURCE, why);
    return { kind: "refused", why: "another dream is running in this project; try again in a few minutes" };
  }
  if (signal?.aborted || isDry) return { kind: "failed", why };
  const isBegun = isWriting && code !== "ENOTWRITTEN";
  log.warn(SOURCE, `aborted, ${isBegun ? "some changes may have been made" : "memory is unchanged"}: ${why}`);
  try {
    const state = await readDreamState(files, folders.dreamState);
    const failed = { ...state, failures: state.failures + 1, lastFailureMs: clock.now() };
    await writeDreamState(files, folders.dreamState, failed);
  } catch (again) {
    log.warn(SOURCE, `cannot record the failure: ${formatError(again)}`);
  }
  return { kind: "failed", why };
}

/** How long a model that has failed is not asked. */
const MODEL_PAUSE_MS = 3_600_000;
/** Tokens of the model call in one dream: its prompt and the answer. */
const MOST_TOKENS = 50_000;

/** Runs a dream in this session, with a model if one may be asked. Never rejects. */
export async function dreamInSession(
  context: LayerContext,
  { sessionID, ...options }: { sessionID: string; signal: AbortSignal } & Pick<RunOptions, "findObstacle">,
): Promise<DreamOutcome> {
  const { clock, config, fileKinds, files, folders, host } = context;
  const { maxRuntime: maxRuntimeMs } = config.dream;
  const deadlineMs = Math.floor(maxRuntimeMs * MODELS_SHARE);
  const { lastModelFailureMs } = await readDreamState(files, folders.dreamState);
  // After a failure the model is not asked for a while; the rules still apply.
  const isAllowed = !isWithin(lastModelFailureMs, MODEL_PAUSE_MS, clock.now());
  const askModel = isAllowed && createAskModel({ ...context, sessionID, maxTokens: MOST_TOKENS, deadlineMs });
  const parts = {
    ...context,
    listExpired: () => listExpired({ clock, files, folders, processes: host.processes }, fileKinds),
  };
  return runDream(parts, { maxRuntimeMs, ...(askModel && { askModel }), ...options });
}

export function formatOutcome(outcome: DreamOutcome, memoryFolder: string): string {
  if (outcome.kind === "refused" || outcome.kind === "failed") return `No dream: ${outcome.why}.`;
  const { report } = outcome;
  const more = isEmpty(report) ? [] : [`details in ${memoryFolder}/DREAMS.md; /memory-undo undoes it`];
  return [formatCounts(report), ...more].join("\n");
}

const isEmpty = ({ changes, moves }: DreamReport): boolean => changes.length + moves.length === 0;

/** The message after a dream, in one line; `undefined` if the dream changed nothing. */
export function formatNews(outcome: DreamOutcome): string | undefined {
  if (outcome.kind !== "done" || isEmpty(outcome.report)) return undefined;
  return `memory tidied: ${formatCounts(outcome.report)}; /memory-undo takes it back`;
}
