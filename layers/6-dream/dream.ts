/**
 * Tidies the memories of a project, under a lock that holds across processes:
 *
 *     renew         update facts taken from files
 *     locate        list the memories
 *     collect       find similar memories, and those that name missing files
 *     consolidate   merge duplicates by rules, and similar memories with a model if one may be asked
 *     prune         archive expired and forgotten memories; all changes go in with one swap; then move old sessions' notes
 *                   to their archive
 *
 * Only facts change before the swap, so a dream can be aborted at any moment. If a memory changes meanwhile, it plans
 * again. User-wide memories are left alone.
 */
import { randomUUID } from "node:crypto";
import type { Config } from "../../src/config/schema.js";
import { formatError, StrataError } from "../../src/error.js";
import type { Folders } from "../../src/folders.js";
import type { HeldLock, Locks } from "../../src/lock/locks.js";
import type { Memories } from "../../src/memory/store.js";
import { type DreamState, readDreamState } from "../../src/record/dream-state.js";
import type { Log } from "../../src/record/log.js";
import type { Clock } from "../../src/seams/clock.js";
import type { Files } from "../../src/seams/files.js";
import { archiveNotes, findOldNotes } from "./archive-notes.js";
import { createDreamRecord } from "./dream-record.js";
import type { DreamReport } from "./dreams-page.js";
import { type AskModel, createDreamPlanning, type DreamRun } from "./planning.js";
import { renewFacts } from "./renew-facts.js";
import type { StagedCheck } from "./staged.js";

export interface Dreams {
  /** Tidies now. Never rejects. */
  run(options: RunOptions): Promise<DreamOutcome>;
  /** Reads the state from disk. */
  state(): Promise<DreamState>;
}

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

export interface DreamsOptions {
  clock: Clock;
  files: Files;
  folders: Folders;
  locks: Locks;
  log: Log;
  memories: Memories;
  /** May this text be stored? */
  check: StagedCheck;
  retention: Config["retention"];
}

const SOURCE = "dream";
/** A memory may change between the plan and the swap. */
const MOST_TRIES = 3;
/** How far a dream has got, which decides what a failure means. */
interface Progress {
  isSwapping: boolean;
  outcome?: DreamOutcome;
}

export function createDreams(given: DreamsOptions): Dreams {
  const { clock, files, folders, locks, log, memories } = given;
  const plan = createDreamPlanning(given);
  const record = createDreamRecord({ clock, files, folders, log });

  return {
    state: () => readDreamState(files, folders.dreamState),

    async run(options) {
      const end = new AbortController();
      // A timer, so that a jump of the clock does not shorten the limit.
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
        // A failure after the swap does not undo it.
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
    // Another process may have finished a dream between the check and the lock.
    const why = options.findObstacle?.(state);
    if (why !== undefined) return { kind: "refused", why };
    const both = AbortSignal.any([signal, lock.signal]);
    const id = randomUUID().slice(0, 8);
    const run: DreamRun = { id, askModel: options.askModel, signal: both, state, clusters: [] };
    let refusal = "";
    if (!options.isDry) await renew();
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const planned = await plan(run);
      const oldNotes = await findOldNotes({ clock, files, folders, retention: given.retention });
      const report = { id, time: new Date(clock.now()).toISOString(), ...planned, oldNotes: oldNotes.length };
      if (options.isDry) return { kind: "planned", report };
      both.throwIfAborted();
      await lock.check();
      progress.isSwapping = true;
      const swapped = await memories.swap(planned.changes, { operation: SOURCE, run: run.id });
      progress.isSwapping = false;
      if (swapped.kind === "written") {
        await archiveNotes({ files, folders, log }, oldNotes);
        return { kind: "done", report: await record.noteDone(run, report) };
      }
      refusal = swapped.why;
    }
    throw new StrataError("EBUSY", `memories changed during each of ${MOST_TRIES} tries: ${refusal}`);
  }

  /** An unreadable file does not keep a dream from tidying the rest. */
  async function renew(): Promise<void> {
    await renewFacts(given).catch((thrown) =>
      log.warn(SOURCE, `cannot renew facts from their files: ${formatError(thrown)}`),
    );
  }

  async function fail(thrown: unknown, options: RunOptions, progress: Progress): Promise<DreamOutcome> {
    const outcome = readFailure(thrown);
    if (outcome.kind === "refused") log.info(SOURCE, formatError(thrown));
    if (outcome.kind === "refused" || options.signal?.aborted || options.isDry) return outcome;
    const isBegun = progress.isSwapping && !hasCode(thrown, "ENOTWRITTEN");
    const extent = isBegun ? "some changes may have been made" : "memory is unchanged";
    log.warn(SOURCE, `aborted, ${extent}: ${outcome.why}`);
    await record.noteFailure();
    return outcome;
  }
}

const hasCode = (thrown: unknown, code: string): boolean =>
  thrown instanceof StrataError && thrown.code === code;

function readFailure(thrown: unknown): DreamOutcome & { kind: "refused" | "failed" } {
  if (!hasCode(thrown, "ELOCKED")) return { kind: "failed", why: formatError(thrown) };
  return { kind: "refused", why: "another dream is running in this project; try again in a few minutes" };
}
