/**
 * Locks between processes: a file that only one of many can create.
 *
 *     take       create the file with a token of our own in it: `Files.create` lets one of many do it
 *     hold       touch the file every five seconds, which shows that the holder is alive
 *     check      is the token still ours? asked before every write that the lock guards, with each touch, and at the end
 *     release    remove the file
 *
 * A lock whose process has ended, or belongs to an earlier boot, is taken over at once, one of another machine when it is
 * silent (holders.ts). One whose process runs on this machine is never taken over, however old: a slow process is not a
 * dead one.
 *
 *     take over  create `<file>.<id of the dead token>`, a lock like any other, which is the right to remove that one token;
 *                check that the token is still there; remove it; release the right; start again
 *
 * Only the holder of that right removes the token, so between check and removal nobody else can have taken the lock. A
 * process that dies during a takeover leaves a lock that is taken over by the same rule.
 */
import { randomUUID } from "node:crypto";
import { formatError, StrataError } from "../base/error.js";
import type { Clock } from "./clock.js";
import type { Files } from "./files.js";
import {
  createHolders,
  formatToken,
  type Holder,
  type Holders,
  type Liveness,
  type LockState,
  type LockToken,
  type ProcessIdentity,
  type RunningProcesses,
} from "./holders.js";

export interface Locks {
  /**
   * Runs `action` while this path is locked, and hands back what it returns. Not to be called for a path that one
   * holds already: it would wait for itself.
   *
   * @throws StrataError ELOCKED when somebody else has it and does not let go within `waitMs`; `action` has not run.
   * @throws StrataError ECOMPROMISED when it was lost meanwhile; others may have been at work beside `action`.
   */
  withLock<T>(path: string, action: (lock: HeldLock) => Promise<T>, options?: LockOptions): Promise<T>;
  /** Who holds it now. For people: the answer may be out of date when it arrives. */
  inspect(path: string): Promise<LockState>;
}

export interface LockOptions {
  /** How long to wait for the holder; 0 to try once. By default 5 seconds. */
  waitMs?: number;
}

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

export interface LocksOptions {
  clock: Clock;
  files: Files;
  processes: RunningProcesses;
  /** Whose locks they are, for people. */
  instance: string;
  /**
   * For a process that comes once and ends: where it is not known whether the owner lives it looks on until it is,
   * little more than a minute at most, however long it was to wait. Called with the reason when that begins.
   */
  onDoubt?(why: string): void;
}

const WAIT_MS = 5_000;
const BEAT_MS = 5_000;
const FIRST_PAUSE_MS = 2;
const LONGEST_PAUSE_MS = 50;
/** A process may die while it takes over, and the next one too; this many in a row are no accident. */
const MOST_TAKEOVERS = 8;

/** What the steps below work with. */
interface Locking extends LocksOptions {
  holders: Holders;
  /** Tokens that are in use here. */
  inUse: Set<string>;
}

export function createLocks(options: LocksOptions): Locks {
  const { clock, files } = options;
  const line = createLine();
  const holders = createHolders(options);
  const locking: Locking = { ...options, holders, inUse: new Set() };

  return {
    async withLock(path, action, { waitMs = WAIT_MS } = {}) {
      const wait = startWait(clock, waitMs);
      const leave = await line.enter(path, wait.over);
      if (!leave) throw await lockedError(holders, path, waitMs);
      try {
        const token = await acquire(locking, path, wait.isOver);
        wait.stop();
        if (!token) throw await lockedError(holders, path, waitMs);
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

    inspect: holders.inspect,
  };
}

async function acquire(
  locking: Locking,
  path: string,
  isOver: () => boolean,
): Promise<LockToken | undefined> {
  const { clock, holders, onDoubt } = locking;
  const patience = createPatience(clock, onDoubt);
  const describe = async (): Promise<string> => `the lock ${path} is held by ${await holders.describe(path)}`;
  try {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      const got = await tryAcquire(locking, path);
      if (typeof got === "object") return got;
      if (isOver() && !(got === "doubtful" && (await patience.hasMore(describe)))) return undefined;
      await clock.pause(pauseMs);
    }
  } finally {
    patience.end();
  }
}

/** "doubtful": it is not known yet whether it is held. */
async function tryAcquire(
  locking: Locking,
  path: string,
  takeovers = 0,
): Promise<LockToken | "held" | "doubtful"> {
  const { clock, files, instance, inUse, processes } = locking;
  // Reading costs less than a try, and a waiting process does it often.
  const left = (await files.stat(path)) ? await takeOver(locking, path, takeovers + 1) : "free";
  if (left !== "free") return left;
  const since = new Date(clock.now()).toISOString();
  const token = { id: randomUUID(), instance, process: await processes.own(), since };
  inUse.add(token.id);
  try {
    if (await files.create(path, formatToken(token))) return token;
  } catch (thrown) {
    inUse.delete(token.id);
    throw thrown;
  }
  inUse.delete(token.id);
  return "held";
}

/** Removes the token of a holder that is gone; whether the way is free now. */
async function takeOver(
  locking: Locking,
  path: string,
  takeovers: number,
): Promise<"free" | "held" | "doubtful"> {
  const { files, holders } = locking;
  const found = await holders.read(path);
  if (!found) return "free";
  const sign = takeovers > MOST_TAKEOVERS ? "beating" : await findSign(locking, path, found);
  if (sign !== "silent") return sign === "doubtful" ? "doubtful" : "held";
  const right = `${path}.${found.id}`;
  const mine = await tryAcquire(locking, right, takeovers);
  if (typeof mine === "string") return mine;
  try {
    // It may have been taken over, and given back, since it was read.
    if ((await holders.read(path))?.id === found.id) await files.remove(path);
  } finally {
    await release(locking, right, mine);
  }
  return "free";
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

async function isHeld({ holders }: Locking, path: string, { id }: LockToken): Promise<boolean> {
  return (await holders.read(path))?.id === id;
}

/** A token of this instance that is not in use could not be removed when it was over. */
async function findSign(
  { holders, instance, inUse, processes }: Locking,
  path: string,
  found: Holder,
): Promise<Liveness> {
  const { token } = found;
  if (token?.instance !== instance || !isOwn(token, await processes.own())) return holders.check(path, found);
  return inUse.has(token.id) ? "beating" : "silent";
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

async function lockedError(
  holders: Pick<Holders, "describe">,
  path: string,
  waitMs: number,
): Promise<StrataError> {
  const holder = await holders.describe(path).catch((thrown) => `somebody (${formatError(thrown)})`);
  return new StrataError(
    "ELOCKED",
    `expected the lock ${path} to be free within ${waitMs} ms, but it is held by ${holder}; try again, and delete the file if that process has ended`,
  );
}

/** Measured by a timer, so that a clock that jumps does not shorten it. */
function startWait(clock: Clock, waitMs: number): Wait {
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

interface Wait {
  isOver(): boolean;
  over: Promise<void>;
  stop(): void;
}

function isOwn({ process }: LockToken, own: ProcessIdentity): boolean {
  return process.id === own.id && process.start === own.start && process.machine === own.machine;
}

/** Extends a wait while it is unknown whether the owner of a lock is alive. */
export interface Patience {
  /** Should the caller keep waiting? The first call tells the caller why. */
  hasMore(describe: () => Promise<string>): Promise<boolean>;
  end(): void;
}

/** Enough to find out whether one owner is silent. If owners change meanwhile, they are alive. */
const LONGEST_MS = 75_000;

/** Never extends the wait without `tell`. */
export function createPatience(clock: Clock, tell: ((why: string) => void) | undefined): Patience {
  let isOver = false;
  let stop: (() => void) | undefined;
  return {
    async hasMore(describe) {
      if (!tell || isOver) return false;
      if (stop) return true;
      stop = clock.after(LONGEST_MS, () => {
        isOver = true;
      });
      tell(await describe());
      return true;
    },
    end: () => stop?.(),
  };
}

/** Queue of callers in one process that want the same lock, so that only the first one accesses the disk. */
export interface Line {
  /**
   * Resolves when the caller is first in the queue, with a function that admits the next one. Resolves with `undefined` if
   * `over` resolves first; the caller has then left the queue.
   */
  enter(name: string, over: Promise<void>): Promise<(() => void) | undefined>;
}

export function createLine(): Line {
  /** Callers after the current one; no entry if there is no current one. */
  const waiting = new Map<string, Set<() => void>>();
  return {
    async enter(name, over) {
      const line = waiting.get(name);
      const leave = (): void => letNextGo(name);
      if (!line) {
        waiting.set(name, new Set());
        return leave;
      }
      return new Promise((resolve) => {
        const begin = (): void => resolve(leave);
        line.add(begin);
        void over.then(() => line.delete(begin) && resolve(undefined));
      });
    },
  };

  function letNextGo(name: string): void {
    const line = waiting.get(name);
    const [next] = line ?? [];
    if (!next) waiting.delete(name);
    else {
      line?.delete(next);
      next();
    }
  }
}
