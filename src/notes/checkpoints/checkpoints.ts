/** Checkpoints as the plugin uses them. Code for people's requests is loaded on demand. */
import type { OpenOptions as IndexOptions } from "../../conversations/feed.js";
import type { Memory } from "../../memory/memory.js";
import type { Folders } from "../../project/folders.js";
import type { SeenSessions } from "../../project/own.js";
import type { Notes } from "../notes.js";
import { createAttachedFiles } from "./attached.js";
import type { OpenCheckpoints } from "./open-checkpoints.js";

interface CheckpointsOptions extends IndexOptions {
  folders: Folders;
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
      findQuotes: async (words, exceptSession) => {
        const { openQuotes } = await import("../../conversations/quotes.js");
        return openQuotes(options).find(words, { exceptSession, project: folders.project });
      },
      write: notes.write,
      listMemories: async () => (memories.known().length > 0 ? memories.known() : memories.list()),
      complain: (what) => log.warn("checkpoints", what),
    });
  return {
    /** What is attached to sessions. */
    attached: createAttachedFiles({ files, locate, nowMs: () => clock.now() }),

    /** Operations that people request. */
    open,
  };
}
