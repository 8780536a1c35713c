/** Checkpoints and attachments. */
import { isActive, isUsersRule } from "../../memory/in-force.js";
import type { SeenSessions } from "../../project/own.js";
import { planPaths } from "../session-files.js";
import { type AttachedFiles, createAttachedFiles } from "./attached.js";
import { formatCapsule, formatRefresh, nameSource } from "./capsule.js";
import type { Checkpoint } from "./checkpoint.js";
import { type CheckpointFiles, createCheckpointFiles } from "./checkpoint-files.js";
import { type FoundSource, findNewestSession, findSource } from "./find-source.js";
import { type TakeOptions, takeCheckpoint, type WantedCheckpoint } from "./take-checkpoint.js";

/** All calls reject with the system's error. */
export interface OpenCheckpoints extends Pick<CheckpointFiles, "list" | "remove"> {
  /** Saves the session's current state; `undefined` if it has no notes. */
  keep(wanted: WantedCheckpoint): Promise<Checkpoint | undefined>;
  /** @throws StrataError NO_CHECKPOINT, NO_SESSION */
  find(name: string): Promise<FoundSource>;
  /** @throws StrataError NO_SESSION */
  findNewestSession(): Promise<string>;
  /** Attaches a session or checkpoint and returns its name for people. @throws StrataError NO_CHECKPOINT, NO_SESSION */
  attach(name: string, target: string): Promise<string>;
  /** Attaches the session's goal and the user's rules to the session itself. @throws StrataError NO_SESSION */
  refresh(sessionID: string): Promise<void>;
  attached: AttachedFiles;
}

export interface OpenOptions extends TakeOptions {
  sessions: SeenSessions;
  /** The folder of this machine's record of the project. */
  locate(): Promise<string>;
  /** Writes the session's unsaved data to disk. */
  settle?(sessionID: string): Promise<void>;
}

export function openCheckpoints(options: OpenOptions): OpenCheckpoints {
  const { clock, files, folder, settle = async () => {} } = options;
  const checkpoints = createCheckpointFiles(options);
  const attached = createAttachedFiles({ ...options, nowMs: () => clock.now() });
  const find = (name: string): Promise<FoundSource> => findSource({ ...options, checkpoints }, name);

  return {
    attached,
    find,
    findNewestSession: () => findNewestSession(options),
    list: checkpoints.list,
    remove: checkpoints.remove,

    async keep(wanted) {
      await settleKept(wanted.sessionID);
      const checkpoint = await takeCheckpoint(options, wanted);
      if (checkpoint) await checkpoints.write(checkpoint);
      return checkpoint;
    },

    async attach(name, target) {
      if (/^[\w-]+$/.test(name)) await settleKept(name);
      const { now, source } = await find(name);
      const text = formatCapsule(source, now);
      const of = nameSource(source);
      await attach(target, of, text);
      return of;
    },

    async refresh(sessionID) {
      await settleKept(sessionID);
      const { now, source } = await find(sessionID);
      const all = await options.listMemories();
      const rules = all.filter((memory) => isUsersRule(memory) && isActive(memory, clock.now()));
      await attach(sessionID, nameSource(source), formatRefresh(source, { now, rules }));
    },
  };

  function attach(target: string, of: string, text: string): Promise<void> {
    return attached.write(target, { v: 1, of, asked: new Date(clock.now()).toISOString(), text });
  }

  /** Sessions without an agent's work, and subagents, have no notes; this starts none. */
  async function settleKept(sessionID: string): Promise<void> {
    if (await files.stat(planPaths(folder, sessionID).stored)) await settle(sessionID);
  }
}
