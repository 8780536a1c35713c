/** Finds the session or checkpoint that a person names. */
import { StrataError } from "../../base/error.js";
import type { SeenSessions } from "../../project/own.js";
import { planPaths } from "../session-files.js";
import type { Source } from "./capsule.js";
import { type CheckpointFile, isCheckpointID } from "./checkpoint.js";
import type { CheckpointFiles } from "./checkpoint-files.js";
import { listNewestSessions } from "./read-session.js";
import { findStanding, lookAtFiles, type TakeOptions, takeCheckpoint } from "./take-checkpoint.js";

export interface FindOptions extends TakeOptions {
  checkpoints: Pick<CheckpointFiles, "read">;
  sessions: Pick<SeenSessions, "filter">;
}

export interface FoundSource {
  source: Source;
  /** The files that the session changed, as they are now. */
  now: CheckpointFile[];
}

/** Maximum number of sessions searched for the newest. */
const LOOKED_INTO = 200;

/**
 * A checkpoint or session by its id. Only sessions that ran on this machine: a repository may contain
 * notes of others. @throws StrataError NO_CHECKPOINT, NO_SESSION
 */
export async function findSource(options: FindOptions, name: string): Promise<FoundSource> {
  if (isCheckpointID(name)) return readCheckpoint(options, name);
  const isHere = /^[\w-]+$/.test(name) && (await options.sessions.filter([name])).has(name);
  const taken = isHere ? await takeCheckpoint(options, { sessionID: name, occasion: "asked" }) : undefined;
  if (!taken) throw noSession(name);
  const { id: _, ...source } = taken;
  const stat = await options.files.stat(planPaths(options.folder, name).stored);
  const at = new Date(stat?.modifiedMs ?? options.clock.now()).toISOString();
  return { source: { ...source, at }, now: [...taken.files] };
}

async function readCheckpoint(options: FindOptions, id: string): Promise<FoundSource> {
  const checkpoint = await options.checkpoints.read(id);
  if (!checkpoint)
    throw new StrataError(
      "NO_CHECKPOINT",
      `there is no checkpoint ${id}; strata checkpoint --list shows all`,
    );
  // Memories archived or made private since then are not handed over.
  const memories = findStanding(checkpoint.memories, await options.listMemories());
  return {
    source: { ...checkpoint, memories },
    now: await lookAtFiles(options, { stored: checkpoint }),
  };
}

/** The last used session with notes. @throws StrataError NO_SESSION */
export async function findNewestSession(options: Omit<FindOptions, "checkpoints">): Promise<string> {
  const [newest] = await listNewestSessions({ ...options, most: LOOKED_INTO });
  if (newest === undefined) throw noSession(undefined);
  return newest;
}

function noSession(name: string | undefined): StrataError {
  const message =
    name === undefined
      ? "no session of this project has notes yet: they begin when the agent uses a tool"
      : `nothing is known of ${JSON.stringify(name)}: expected a checkpoint, or a session that ran on this machine and has notes. strata checkpoint --list and strata sessions list them`;
  return new StrataError("NO_SESSION", message);
}
