/** Who holds a lock, and whether they still live. */
import { DAY_MS } from "../base/days.js";
import { each, integer, matching, object, parseJson, parserOf, string } from "../base/shape.js";
import type { Clock } from "./clock.js";
import { type Files, readText } from "./files.js";

/** The processes of this machine: tells whether the owner of a lock still runs. */
export interface RunningProcesses {
  /** Identity of our process. */
  own(): Promise<ProcessIdentity>;
  /**
   * Whether it still runs; `undefined` if unknown: it runs, or ran, on another machine. `signMs`: time of its last sign
   * of life on disk, which reveals a process of an earlier boot or an ended container. Never rejects.
   */
  isRunning(identity: ProcessIdentity, signMs?: number): Promise<boolean | undefined>;
  /** Ids of our parent processes, nearest first; empty if unknown. Never rejects. */
  ancestors(): Promise<readonly number[]>;
}

/** Identifies a process uniquely across machines and restarts. */
export interface ProcessIdentity {
  id: number;
  /** Start time by its machine's own counter, independent of the wall clock. Only for comparison. */
  start: string;
  /** For people. */
  host: string;
  /** Shared by processes that can see each other: differs between containers and after a restart. */
  machine: string;
}

export const isProcessIdentity = object<ProcessIdentity>({
  id: integer,
  ...each(string, "start", "host", "machine"),
});

export interface Holder {
  /** Of its token; for a file without one a word in its place. */
  id: string;
  token?: LockToken;
  signs: Signs;
}

export type LockState =
  | { kind: "free" }
  /** `token` is missing where the file holds none. `signMs`: the last sign of a holder that cannot be seen from here. */
  | { kind: "held"; token?: LockToken; signMs?: number }
  /** Its process has ended, or has given no sign since `signMs`, for a day; the next process to want it takes it over. */
  | { kind: "abandoned"; token?: LockToken; signMs?: number };

/** "doubtful": not known yet; known after at most a minute of watching. */
export type Liveness = "silent" | "beating" | "doubtful";

/** Every call rejects with the system's error. */
export interface Holders {
  read(path: string): Promise<Holder | undefined>;
  /** Does this one live? To be asked again while it is doubtful. */
  check(path: string, holder: Holder): Promise<Liveness>;
  /** For people: the answer may be out of date when it arrives. */
  inspect(path: string): Promise<LockState>;
  /** For a message. */
  describe(path: string): Promise<string>;
}

export interface HoldersOptions {
  clock: Clock;
  files: Files;
  processes: RunningProcesses;
}

/** When the lock's file last changed. */
interface Signs {
  /** Last heartbeat by the owner's clock. */
  modifiedMs: number;
  /** Last heartbeat, or creation of the file, by the disk's clock. */
  changedMs: number;
}

/** Twelve heartbeats. */
const SILENT_MS = 60_000;
/** Three heartbeats. */
const LOOK_MS = 15_000;

interface Sighting {
  id: string;
  seen: string;
  watchedMs: number;
  hasBeaten: boolean;
}

/**
 * An owner that cannot be checked from here, on another machine or unknown, is watched:
 *
 *     silent at once            last heartbeat over a day ago, and its file unchanged for a minute
 *     after three heartbeats    last heartbeat over a minute ago, and none while this process watched
 *     after a minute            no heartbeat while this process watched
 *     never                     a heartbeat while this process watched
 *
 * The heartbeat's time comes from the other machine's clock, which may be wrong, so it alone never makes a lock look old:
 * the file of a living owner on a shared disk is seen to change. A timer measures how long this process has watched.
 */
export function createHolders({ clock, files, processes }: HoldersOptions): Holders {
  const sightings = new Map<string, Sighting>();

  return {
    read,

    async check(path, holder) {
      const isRunning = await findRunning(holder);
      if (isRunning !== undefined) return isRunning ? "beating" : "silent";
      if (isLongSilent(holder.signs)) return "silent";
      const { hasBeaten, watchedMs } = watch(path, holder);
      const isOld = clock.now() - holder.signs.modifiedMs >= SILENT_MS;
      if (watchedMs >= SILENT_MS || (watchedMs >= LOOK_MS && isOld)) return "silent";
      return hasBeaten ? "beating" : "doubtful";
    },

    async inspect(path) {
      const found = await read(path);
      if (!found) return { kind: "free" };
      const { signs, token } = found;
      const named = token && { token };
      const isRunning = await findRunning(found);
      if (isRunning !== undefined) return { kind: isRunning ? "held" : "abandoned", ...named };
      if (isLongSilent(signs)) return { kind: "abandoned", signMs: signs.modifiedMs, ...named };
      return { kind: "held", signMs: lastSign(signs), ...named };
    },

    async describe(path) {
      const found = await read(path);
      if (!found) return "somebody who has just let go";
      const { signs, token } = found;
      const isSeen = token && (await processes.isRunning(token.process)) !== undefined;
      return `${formatHolder(token)}${isSeen ? "" : ` (${formatDoubt(lastSign(signs))})`}`;
    },
  };

  async function read(path: string): Promise<Holder | undefined> {
    const text = await readText(files, path);
    if (text === undefined) return undefined;
    const token = parseToken(text);
    const { changedMs = 0, modifiedMs = 0 } = (await files.stat(path)) ?? {};
    return { id: token?.id ?? "nameless", signs: { changedMs, modifiedMs }, ...(token && { token }) };
  }

  /** `undefined` if that cannot be told from here. */
  async function findRunning({ signs, token }: Holder): Promise<boolean | undefined> {
    return token && processes.isRunning(token.process, lastSign(signs));
  }

  function isLongSilent({ changedMs, modifiedMs }: Signs): boolean {
    return clock.now() - modifiedMs >= DAY_MS && clock.now() - changedMs >= SILENT_MS;
  }

  function watch(path: string, { id, signs }: Holder): Sighting {
    const seen = `${signs.modifiedMs} ${signs.changedMs}`;
    const known = sightings.get(path);
    if (known?.id === id && known.seen === seen) return known;
    const sighting: Sighting = { id, seen, watchedMs: 0, hasBeaten: known?.id === id };
    sightings.set(path, sighting);
    for (const watchedMs of [LOOK_MS, SILENT_MS])
      clock.after(watchedMs, () => {
        sighting.watchedMs = watchedMs;
      });
    return sighting;
  }
}

/** The last sign of life, by whichever clock says later. */
const lastSign = ({ changedMs, modifiedMs }: Signs): number => Math.max(changedMs, modifiedMs);

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

export function formatToken(token: LockToken): string {
  return `${JSON.stringify(token)}\n`;
}

const isToken = object<LockToken>({
  // Becomes part of a file's name.
  id: matching(/^[\w-]+$/),
  ...each(string, "instance", "since"),
  process: isProcessIdentity,
});

/** `undefined` for an incomplete or foreign file. */
export const parseToken = (text: string): LockToken | undefined => parserOf(isToken)(parseJson(text));

/** For a message to people. */
function formatHolder(token: LockToken | undefined): string {
  if (!token) return "an unknown owner";
  const { process, instance, since } = token;
  return `instance ${instance} (process ${process.id} on ${process.host}) since ${since}`;
}

/** What is unknown about a lock, and what will happen to it. For a message to people. */
function formatDoubt(signMs: number): string {
  return `it was last active at ${new Date(signMs).toISOString()}, and this machine cannot tell whether it still runs: the lock is taken over after a minute without activity`;
}

/** Describes a lock for people. `isSilent`: without watching it, its owner appears to be gone. */
export function formatLock(state: LockState, nowMs: number): { says: string; isSilent: boolean } {
  if (state.kind === "free") return { says: "free", isSilent: false };
  const { kind, signMs, token } = state;
  if (kind === "abandoned") {
    const why = signMs === undefined ? "has ended" : `was last active at ${new Date(signMs).toISOString()}`;
    const says = token
      ? `a stale lock: ${formatHolder(token)} ${why}`
      : `a stale lock without an owner that ${why}`;
    return { says, isSilent: true };
  }
  const says = token ? `held by ${formatHolder(token)}` : "a lock without an owner";
  if (signMs === undefined) return { says, isSilent: false };
  return { says: `${says}; ${formatDoubt(signMs)}`, isSilent: nowMs - signMs >= SILENT_MS };
}
