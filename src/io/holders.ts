/** Who holds a lock, and whether they still live. */
import type { Clock } from "./clock.js";
import { type Files, readText } from "./files.js";
import type { RunningProcesses } from "./processes.js";
import { formatDoubt, formatHolder, type LockToken, parseToken } from "./token.js";
import { createLockWatch, type Heard, type Signs } from "./watch.js";

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

/** Every call rejects with the system's error. */
export interface Holders {
  read(path: string): Promise<Holder | undefined>;
  /** Does this one live? To be asked again while it is doubtful. */
  listen(path: string, holder: Holder): Promise<Heard>;
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

export function createHolders({ clock, files, processes }: HoldersOptions): Holders {
  const watch = createLockWatch(clock);

  return {
    read,

    async listen(path, { token, id, signs }) {
      const isRunning = token && (await processes.isRunning(token.process, signOf(signs)));
      if (isRunning === undefined) return watch.look(path, id, signs);
      return isRunning ? "beating" : "silent";
    },

    async inspect(path) {
      const found = await read(path);
      if (!found) return { kind: "free" };
      const { signs, token } = found;
      const isRunning = token && (await processes.isRunning(token.process, signOf(signs)));
      const named = token && { token };
      if (isRunning !== undefined) return { kind: isRunning ? "held" : "abandoned", ...named };
      const { modifiedMs } = signs;
      if (watch.glance(signs) === "silent") return { kind: "abandoned", signMs: modifiedMs, ...named };
      return { kind: "held", signMs: signOf(signs), ...named };
    },

    async describe(path) {
      const found = await read(path);
      if (!found) return "somebody who has just let go";
      const { signs, token } = found;
      const isSeen = token && (await processes.isRunning(token.process)) !== undefined;
      return `${formatHolder(token)}${isSeen ? "" : ` (${formatDoubt(signOf(signs))})`}`;
    },
  };

  async function read(path: string): Promise<Holder | undefined> {
    const text = await readText(files, path);
    if (text === undefined) return undefined;
    const token = parseToken(text);
    const { changedMs = 0, modifiedMs = 0 } = (await files.stat(path)) ?? {};
    return { id: token?.id ?? "nameless", signs: { changedMs, modifiedMs }, ...(token && { token }) };
  }
}

/** The last sign of life, by whichever clock says later. */
const signOf = ({ changedMs, modifiedMs }: Signs): number => Math.max(changedMs, modifiedMs);
