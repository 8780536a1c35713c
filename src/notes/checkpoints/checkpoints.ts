/** Checkpoints as the plugin uses them. Code for people's requests is loaded on demand. */
import { formatError } from "../../base/error.js";
import type { Clock } from "../../io/clock.js";
import type { Files } from "../../io/files.js";
import type { Log } from "../../io/log.js";
import type { Memory } from "../../memory/memory.js";
import type { Folders } from "../../project/folders.js";
import type { SeenSessions } from "../../project/own.js";
import type { Notes } from "../notes.js";
import { createAttachedFiles } from "./attached.js";
import type { Occasion } from "./checkpoint.js";
import type { OpenCheckpoints } from "./open-checkpoints.js";

interface CheckpointsOptions {
  clock: Clock;
  files: Files;
  folders: Folders;
  log: Pick<Log, "warn">;
  notes: Pick<Notes, "write">;
  /** `known` is empty before the first `list`. */
  memories: { known(): readonly Memory[]; list(): Promise<readonly Memory[]> };
  sessions: SeenSessions;
  /** Rejects with the system's error. */
  locateRecord(): Promise<{ folder: string }>;
}

export type Checkpoints = ReturnType<typeof createCheckpoints>;

export function createCheckpoints(options: CheckpointsOptions) {
  const { clock, files, folders, log, memories, notes } = options;
  const locate = async (): Promise<string> => (await options.locateRecord()).folder;
  const open = async (): Promise<OpenCheckpoints> =>
    (await import("./open-checkpoints.js")).openCheckpoints({
      ...options,
      folder: folders.sessionMemory,
      project: folders.project,
      locate,
      write: notes.write,
      listMemories: async () => (memories.known().length > 0 ? memories.known() : memories.list()),
      complain: (what) => log.warn("checkpoints", what),
    });
  return {
    /** What is attached to sessions. */
    attached: createAttachedFiles({ files, locate, nowMs: () => clock.now() }),

    /** Operations that people request. */
    open,

    /** Saves the session's current state, if it has notes. Never rejects. */
    async keep(sessionID: string, occasion: Occasion): Promise<void> {
      try {
        await (await open()).keep({ sessionID, occasion });
      } catch (thrown) {
        log.warn("checkpoints", `cannot save the state of ${sessionID}: ${formatError(thrown)}`);
      }
    },
  };
}
