/** Who holds a lock, and whether they still live. */
import { each, integer, matching, object, parseJson, parserOf, string } from "../base/shape.js";
import type { Clock } from "./clock.js";
import { type Files, readText } from "./files.js";

/** The processes of this machine: tells whether the owner of a lock still runs. */
export interface RunningProcesses {
  /** Identity of our process. */
  own(): Promise<ProcessIdentity>;
  /** Whether it still runs; `undefined` if unknown: it runs, or ran, on another machine. Never rejects. */
  isRunning(identity: ProcessIdentity): Promise<boolean | undefined>;
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

export type Holders = ReturnType<typeof createHolders>;

/** Twelve heartbeats. */
const SILENT_MS = 60_000;

/**
 * The owner of a lock has ended if its process has. One that cannot be seen from here, on another machine, before the
 * last boot, or in a file without a token, has ended if nobody has touched the file for a minute by the disk's clock. Both
 * calls reject with the system's error.
 */
export function createHolders({
  clock,
  files,
  processes,
}: {
  clock: Pick<Clock, "now">;
  files: Files;
  processes: RunningProcesses;
}) {
  return {
    inspect,
    /** For a message. */
    async describe(path: string): Promise<string> {
      const state = await inspect(path);
      return state.kind === "free" ? "somebody who has just let go" : formatHolder(state);
    },
  };

  /** For people, the answer may be out of date when it arrives. */
  async function inspect(path: string): Promise<LockState> {
    const text = await readText(files, path);
    if (text === undefined) return { kind: "free" };
    const token = parseToken(text);
    const named = token && { token };
    const isRunning = token && (await processes.isRunning(token.process));
    if (isRunning !== undefined) return { kind: isRunning ? "held" : "abandoned", ...named };
    const signMs = (await files.stat(path))?.changedMs ?? 0;
    return { kind: clock.now() - signMs >= SILENT_MS ? "abandoned" : "held", signMs, ...named };
  }
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
