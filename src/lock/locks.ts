/**
 * Locks that count in all processes: a file that one of many can make.
 *
 *     take       make the file with one's own token in it: Files.create lets one of many do it
 *     hold       a beat every five seconds says that somebody is there: the file's time
 *     check      is it still my token? asked before every write that the lock guards, with each beat, and at the end
 *     release    remove the file
 *
 * A lock whose process has ended, or was of an earlier boot, is taken over at once, one of another machine when it is
 * silent (watch.ts). One whose process runs on this machine is never taken over, however old it is: a slow process is
 * not a dead one.
 *
 *     take over  make `<file>.<id of the dead token>`, which is a lock like any other and the right to remove that one
 *                token; look whether it is still there; remove it; give the right back; begin anew
 *
 * Only who has that right removes the token, so between the look and the removal nobody else can have taken the lock.
 * Who dies with the right in hand leaves a lock behind that is taken over in the same way.
 */
import { randomUUID } from "node:crypto";
import { formatError, StrataError } from "../error.js";
import type { Clock } from "../seams/clock.js";
import type { Files } from "../seams/files.js";
import type { ProcessIdentity, RunningProcesses } from "../seams/processes.js";
import { readText } from "../seams/read-text.js";
import { createLine } from "./line.js";
import { createPatience } from "./patience.js";
import { formatDoubt, formatHolder, formatToken, type LockToken, parseToken } from "./token.js";
import { createLockWatch, type Heard, type Signs } from "./watch.js";

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
  /** How long to wait for whoever has it; 0 to try once. By default 5 seconds. */
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

export type LockState =
  | { kind: "free" }
  /** `token` is missing where the file holds none. `signMs`: the last sign of one who cannot be seen from here. */
  | { kind: "held"; token?: LockToken; signMs?: number }
  /** Its process has ended, or has given no sign since `signMs`, for a day; who wants it next takes it over. */
  | { kind: "abandoned"; token?: LockToken; signMs?: number };

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
/** Who takes over may die doing so, and who takes over from them; so many in a row are no accident any more. */
const MOST_TAKEOVERS = 8;

export function createLocks({ clock, files, processes, instance, onDoubt }: LocksOptions): Locks {
  const line = createLine();
  const watch = createLockWatch(clock);
  /** Tokens that are in use here. One of our instance that is not among them could not be removed when it was over. */
  const inUse = new Set<string>();

  return {
    async withLock(path, action, { waitMs = WAIT_MS } = {}) {
      const wait = startWait(waitMs);
      const leave = await line.enter(path, wait.over);
      if (!leave) throw await lockedError(path, waitMs);
      try {
        const token = await acquire(path, wait.isOver);
        wait.stop();
        if (!token) throw await lockedError(path, waitMs);
        return await hold(path, token, action);
      } finally {
        wait.stop();
        leave();
      }
    },

    async inspect(path) {
      const found = await readHolder(path);
      if (!found) return { kind: "free" };
      const { signs, token } = found;
      const isRunning = token && (await processes.isRunning(token.process, signOf(signs)));
      const named = token && { token };
      if (isRunning !== undefined) return { kind: isRunning ? "held" : "abandoned", ...named };
      const { modifiedMs } = signs;
      if (watch.glance(signs) === "silent") return { kind: "abandoned", signMs: modifiedMs, ...named };
      return { kind: "held", signMs: signOf(signs), ...named };
    },
  };

  async function acquire(path: string, isOver: () => boolean): Promise<LockToken | undefined> {
    const patience = createPatience(clock, onDoubt);
    const describe = async (): Promise<string> => `the lock ${path} is held by ${await describeHolder(path)}`;
    try {
      for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
        const got = await tryAcquire(path);
        if (typeof got === "object") return got;
        if (isOver() && !(got === "doubtful" && (await patience.hasMore(describe)))) return undefined;
        await clock.pause(pauseMs);
      }
    } finally {
      patience.end();
    }
  }

  /** "doubtful": it is not known yet whether somebody has it. */
  async function tryAcquire(path: string, takeovers = 0): Promise<LockToken | "held" | "doubtful"> {
    // A look costs less than a try, and who waits looks often.
    const left = (await files.stat(path)) ? await takeOver(path, takeovers + 1) : "free";
    if (left !== "free") return left;
    const token = await makeToken();
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

  /** Removes the token of somebody who is gone; whether the way is free now. */
  async function takeOver(path: string, takeovers: number): Promise<"free" | "held" | "doubtful"> {
    const found = await readHolder(path);
    if (!found) return "free";
    const heard = takeovers > MOST_TAKEOVERS ? "beating" : await listen(path, found);
    if (heard !== "silent") return heard === "doubtful" ? "doubtful" : "held";
    const right = `${path}.${found.id}`;
    const mine = await tryAcquire(right, takeovers);
    if (typeof mine === "string") return mine;
    try {
      // It may have been taken over, and given back, since it was read.
      if ((await readHolder(path))?.id === found.id) await files.remove(path);
    } finally {
      await release(right, mine);
    }
    return "free";
  }

  async function listen(path: string, { token, id, signs }: Holder): Promise<Heard> {
    if (token?.instance === instance && isOwn(token, await processes.own()))
      return inUse.has(token.id) ? "beating" : "silent";
    const isRunning = token && (await processes.isRunning(token.process, signOf(signs)));
    if (isRunning === undefined) return watch.look(path, id, signs);
    return isRunning ? "beating" : "silent";
  }

  async function hold<T>(path: string, token: LockToken, action: (lock: HeldLock) => Promise<T>): Promise<T> {
    const lost = new AbortController();
    let stopBeating = (): void => {};
    const check = async (): Promise<void> => {
      if (!lost.signal.aborted && (await readHolder(path))?.id === token.id) return;
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
      await release(path, token);
    }
  }

  /** Never rejects: what cannot be removed now is taken over by whoever comes next, who finds it not in use. */
  async function release(path: string, token: LockToken): Promise<void> {
    try {
      if ((await readHolder(path))?.id === token.id) await files.remove(path);
    } catch {
      // Nothing is lost by it.
    } finally {
      inUse.delete(token.id);
    }
  }

  async function readHolder(path: string): Promise<Holder | undefined> {
    const text = await readText(files, path);
    if (text === undefined) return undefined;
    const token = parseToken(text);
    const { changedMs = 0, modifiedMs = 0 } = (await files.stat(path)) ?? {};
    return { id: token?.id ?? "nameless", signs: { changedMs, modifiedMs }, ...(token && { token }) };
  }

  async function lockedError(path: string, waitMs: number): Promise<StrataError> {
    const holder = await describeHolder(path).catch((thrown) => `somebody (${formatError(thrown)})`);
    return new StrataError(
      "ELOCKED",
      `expected the lock ${path} to be free within ${waitMs} ms, but it is held by ${holder}; try again, and delete the file if that process has ended`,
    );
  }

  async function describeHolder(path: string): Promise<string> {
    const found = await readHolder(path);
    if (!found) return "somebody who has just let go";
    const { signs, token } = found;
    const isSeen = token && (await processes.isRunning(token.process)) !== undefined;
    return `${formatHolder(token)}${isSeen ? "" : ` (${formatDoubt(signOf(signs))})`}`;
  }

  async function makeToken(): Promise<LockToken> {
    const process = await processes.own();
    return { id: randomUUID(), instance, process, since: new Date(clock.now()).toISOString() };
  }

  /** Measured by a timer, so that a clock that jumps does not shorten it. */
  function startWait(waitMs: number): Wait {
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
}

interface Holder {
  /** Of its token; of a file without one a word that stands for it. */
  id: string;
  token?: LockToken;
  signs: Signs;
}

/** The last sign of life that any clock has. */
const signOf = ({ changedMs, modifiedMs }: Signs): number => Math.max(changedMs, modifiedMs);

interface Wait {
  isOver(): boolean;
  over: Promise<void>;
  stop(): void;
}

function isOwn({ process }: LockToken, own: ProcessIdentity): boolean {
  return process.id === own.id && process.start === own.start && process.machine === own.machine;
}
