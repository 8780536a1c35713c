/**
 * Locks between processes: a file that only one of many can create.
 *
 *     take       create the file with a token of our own in it: `Files.create` lets one of many do it
 *     hold       touch the file every five seconds, which shows that the holder is alive
 *     check      is the token still ours? asked before every write that the lock guards, with each touch, and at the end
 *     release    remove the file
 *
 * A lock whose process has ended, or belongs to an earlier boot, is taken over at once, one of another machine when it is
 * silent for a minute. One whose process runs on this machine is never taken over, however old: a slow
 * process is not a dead one.
 *
 *     take over  create `<file>.<id of the dead token>`, a lock like any other, which is the right to remove that one token;
 *                check that the token is still there; remove it; release the right; start again
 *
 * Only the holder of that right removes the token, so between check and removal nobody else can have taken the lock. A
 * process that dies during a takeover leaves a lock that is taken over by the same rule.
 */
import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { formatError, StrataError } from "../base/error.js";
import { each, matching, object, parseJson, parserOf, string } from "../base/shape.js";
import type { Clock } from "./clock.js";
import { type Files, readText } from "./files.js";
import { isProcessIdentity, type ProcessIdentity, type RunningProcesses } from "./running-processes.js";

export type Locks = ReturnType<typeof createLocks>;

export interface HeldLock {
  /**
   * To be called right before every write that the lock guards.
   *
   * @throws StrataError ECOMPROMISED when the lock is not ours any more.
   */
  check(): Promise<void>;
  /** Aborted when the lock turns out to be lost. */
  readonly signal: AbortSignal;
}

interface LocksOptions {
  clock: Clock;
  files: Files;
  processes: RunningProcesses;
  /** Whose locks they are, for people. */
  instance: string;
}

const WAIT_MS = 5_000;
const BEAT_MS = 5_000;
const FIRST_PAUSE_MS = 2;
const LONGEST_PAUSE_MS = 50;
/** A process may die while it takes over, and the next one too; this many in a row are no accident. */
const MOST_TAKEOVERS = 8;

/** What the steps below work with. */
interface Locking extends LocksOptions {
  /** Tokens that are in use here. */
  inUse: Set<string>;
}

export function createLocks(options: LocksOptions) {
  const { clock, files } = options;
  const locking: Locking = { ...options, inUse: new Set() };
  /** By path: resolves when all callers in this process so far have let go. */
  const queues = new Map<string, Promise<unknown>>();

  return {
    /**
     * Runs `action` while this path is locked, and hands back what it returns. Not to be called for a path that one
     * holds already: it would wait for itself. `waitMs`: how long to wait for the holder; 0 to try once.
     *
     * @throws StrataError ELOCKED when somebody else has it and does not let go within `waitMs`; `action` has not run.
     * @throws StrataError ECOMPROMISED when it was lost meanwhile; others may have been at work beside `action`.
     */
    async withLock<T>(
      path: string,
      action: (lock: HeldLock) => Promise<T>,
      { waitMs = WAIT_MS }: { waitMs?: number } = {},
    ): Promise<T> {
      const wait = startWait(clock, waitMs);
      const { isFirst, leave } = enter(path, wait.over);
      try {
        const token = (await isFirst) ? await acquire(locking, path, wait.isOver) : undefined;
        wait.stop();
        if (!token) throw await lockedError(options, path, waitMs);
        try {
          return await hold(path, action, { clock, files, isOurs: () => isHeld(locking, path, token) });
        } finally {
          await release(locking, path, token);
        }
      } finally {
        wait.stop();
        leave();
      }
    },

    /** Who holds it now. For people: the answer may be out of date when it arrives. */
    inspect: (path: string): Promise<LockState> => inspect(options, path),
  };

  /**
   * Joins the callers in this process that want the same lock, so that only the first one accesses the disk. `isFirst`
   * resolves when it is the caller's turn, with `false` if `over` resolves before. Everyone has to leave.
   */
  function enter(path: string, over: Promise<void>): { isFirst: Promise<boolean>; leave(): void } {
    const before = queues.get(path);
    let end = (): void => {};
    const left = new Promise<void>((resolve) => {
      end = resolve;
    });
    const all = Promise.all([before, left]);
    queues.set(path, all);
    let isTurn = before === undefined;
    const turn = before?.then(() => {
      isTurn = true;
      return true;
    });
    return {
      isFirst: turn ? Promise.race([turn, over.then(() => false)]) : Promise.resolve(true),
      leave() {
        end();
        if (queues.get(path) !== all) return;
        // At once: the next caller may not wait.
        if (isTurn || !before) queues.delete(path);
        else queues.set(path, before);
      },
    };
  }
}

async function acquire(locking: Locking, path: string, isOver: () => boolean) {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    const token = await tryAcquire(locking, path);
    if (token || isOver()) return token;
    await locking.clock.pause(pauseMs);
  }
}

/** `undefined` if somebody else has it. */
async function tryAcquire(locking: Locking, path: string, takeovers = 0): Promise<LockToken | undefined> {
  const { clock, files, instance, inUse, processes } = locking;
  // Reading costs less than a try, and a waiting process does it often.
  if ((await files.stat(path)) && !(await takeOver(locking, path, takeovers + 1))) return undefined;
  const since = new Date(clock.now()).toISOString();
  const token = { id: randomUUID(), instance, process: await processes.own(), since };
  inUse.add(token.id);
  let isMine = false;
  try {
    isMine = await files.create(path, formatToken(token));
  } finally {
    if (!isMine) inUse.delete(token.id);
  }
  return isMine ? token : undefined;
}

/** Removes the token of a holder that is gone; whether the way is free now. */
async function takeOver(locking: Locking, path: string, takeovers: number): Promise<boolean> {
  const { files } = locking;
  const found = await readHolder(files, path);
  if (!found) return true;
  if (takeovers > MOST_TAKEOVERS || !(await isGone(locking, path, found))) return false;
  const right = `${path}.${found.id}`;
  const mine = await tryAcquire(locking, right, takeovers);
  if (!mine) return false;
  try {
    // It may have been taken over, and given back, since it was read.
    if ((await readHolder(files, path))?.id === found.id) await files.remove(path);
  } finally {
    await release(locking, right, mine);
  }
  return true;
}

/** Never rejects: a file that cannot be removed now is taken over next time, since it is not in use. */
async function release(locking: Locking, path: string, token: LockToken): Promise<void> {
  try {
    if (await isHeld(locking, path, token)) await locking.files.remove(path);
  } catch {
    // Nothing is lost by it.
  } finally {
    locking.inUse.delete(token.id);
  }
}

async function isHeld({ files }: Locking, path: string, { id }: LockToken): Promise<boolean> {
  return (await readHolder(files, path))?.id === id;
}

/** The token in the lock; a file without one has an id only. */
async function readHolder(files: Files, path: string): Promise<Partial<LockToken> | undefined> {
  const text = await readText(files, path);
  return text === undefined ? undefined : (parseToken(text) ?? { id: "nameless" });
}

/** A token of this instance that is not in use could not be removed when it was over. */
async function isGone(locking: Locking, path: string, found: Partial<LockToken>): Promise<boolean> {
  const { instance, inUse, processes } = locking;
  const isOwn = found.instance === instance && isDeepStrictEqual(found.process, await processes.own());
  return isOwn ? !inUse.has(found.id ?? "") : (await inspect(locking, path)).kind === "abandoned";
}

/** Runs `action` with a beat every few seconds. @throws StrataError ECOMPROMISED when the lock was lost meanwhile. */
async function hold<T>(
  path: string,
  action: (lock: HeldLock) => Promise<T>,
  { clock, files, isOurs }: Pick<LocksOptions, "clock" | "files"> & { isOurs(): Promise<boolean> },
): Promise<T> {
  const lost = new AbortController();
  let stopBeating = (): void => {};
  const check = async (): Promise<void> => {
    if (!lost.signal.aborted && (await isOurs())) return;
    lost.abort();
    throw new StrataError(
      "ECOMPROMISED",
      `expected to hold the lock ${path}, but it was removed or taken over meanwhile; read again what is there now, and try again`,
    );
  };
  const beatLater = (): void => {
    stopBeating = clock.after(BEAT_MS, () => {
      beatLater();
      // A disk that cannot be read or touched now may be read by the next check.
      void check()
        .then(() => files.touch(path, clock.now()))
        .catch(() => {});
    });
  };
  beatLater();
  try {
    const result = await action({ check, signal: lost.signal });
    // What cannot be read just now is not lost; what the action has done is done.
    await check().catch((thrown) => {
      if (lost.signal.aborted) throw thrown;
    });
    return result;
  } finally {
    stopBeating();
  }
}

async function lockedError(options: LocksOptions, path: string, waitMs: number): Promise<StrataError> {
  const holder = await inspect(options, path).then(
    (state) => (state.kind === "free" ? "somebody who has just let go" : formatHolder(state)),
    (thrown) => `somebody (${formatError(thrown)})`,
  );
  return new StrataError(
    "ELOCKED",
    `expected the lock ${path} to be free within ${waitMs} ms, but it is held by ${holder}; try again, and delete the file if that process has ended`,
  );
}

/** Measured by a timer, so that a clock that jumps does not shorten it. */
function startWait(clock: Clock, waitMs: number) {
  let isOver = waitMs <= 0;
  let end = (): void => {};
  const over = new Promise<void>((resolve) => {
    end = resolve;
  });
  const stop = clock.after(waitMs, () => {
    isOver = true;
    end();
  });
  if (isOver) end();
  return { isOver: () => isOver, over, stop };
}

/* Who holds a lock, and whether they still live. */

/** Owner of a lock: the contents of its file, one line of JSON for people and programs. */
export interface LockToken {
  /** Unique for each time the lock is taken. */
  id: string;
  /** Part of the program that holds it. */
  instance: string;
  process: ProcessIdentity;
  /** ISO date-time, for people only. */
  since: string;
}

export const formatToken = (token: LockToken): string => `${JSON.stringify(token)}\n`;

/** `undefined` for an incomplete or foreign file. */
export function parseToken(text: string): LockToken | undefined {
  return readToken(parseJson(text));
}

const readToken = parserOf(
  object<LockToken>({
    // Becomes part of a file's name.
    id: matching(/^[\w-]+$/),
    ...each(string, "instance", "since"),
    process: isProcessIdentity,
  }),
);

export type LockState =
  | { kind: "free" }
  | {
      /** "abandoned": its holder has ended; the next process to want it takes it over. */
      kind: "held" | "abandoned";
      /** Missing if the file holds none. */
      token?: LockToken;
      /** The last sign of life of a holder that cannot be seen from here. */
      signMs?: number;
    };

/** Twelve heartbeats. */
const SILENT_MS = 60_000;

/**
 * The owner of a lock has ended if its process has. One that cannot be seen from here, on another machine, before the
 * last boot, or in a file without a token, has ended if nobody has touched the file for a minute by the disk's clock.
 * Rejects with the system's error.
 */
async function inspect({ clock, files, processes }: LocksOptions, path: string): Promise<LockState> {
  const text = await readText(files, path);
  if (text === undefined) return { kind: "free" };
  const token = parseToken(text);
  const named = token && { token };
  const isRunning = token && (await processes.isRunning(token.process));
  if (isRunning !== undefined) return { kind: isRunning ? "held" : "abandoned", ...named };
  const signMs = (await files.stat(path))?.changedMs ?? 0;
  return { kind: clock.now() - signMs >= SILENT_MS ? "abandoned" : "held", signMs, ...named };
}

function formatHolder({ signMs, token }: Exclude<LockState, { kind: "free" }>): string {
  const who = token
    ? `instance ${token.instance} (process ${token.process.id} on ${token.process.host}) since ${token.since}`
    : "an unknown owner";
  if (signMs === undefined) return who;
  return `${who} (it was last active at ${new Date(signMs).toISOString()}, and this machine cannot tell whether it still runs: the lock is taken over after a minute without activity)`;
}

/** Describes a lock for people. */
export function formatLock(state: LockState): { says: string; isStale: boolean } {
  if (state.kind === "free") return { says: "free", isStale: false };
  const isStale = state.kind === "abandoned";
  const end = isStale && state.signMs === undefined ? " has ended" : "";
  const says = !state.token ? "a lock without an owner:" : isStale ? "a stale lock:" : "held by";
  return { says: `${says} ${formatHolder(state)}${end}`, isStale };
}
