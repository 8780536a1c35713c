/** Reads the contents of a checkpoint. Changes nothing. */
import { resolve } from "node:path";
import { formatError } from "../../base/error.js";
import { inSlices } from "../../base/slices.js";
import { readText } from "../../io/files.js";
import type { Memory } from "../../memory/memory.js";
import { removeSecrets } from "../../text/secrets/secrets.js";
import { cut, toSafeLine } from "../../text/text.js";
import {
  type Checkpoint,
  type CheckpointFile,
  type CheckpointMemory,
  formatCheckpointID,
  type Occasion,
} from "./checkpoint.js";
import { type ReadSession, type ReadSessionOptions, readSafePage, readSession } from "./read-session.js";

export interface TakeOptions extends ReadSessionOptions {
  /** Reports what is left out. */
  complain(this: void, what: string): void;
  /** Absolute path; file names are relative to it. */
  project: string;
  /** All readable memories. */
  listMemories(): Promise<readonly Memory[]>;
}

export interface WantedCheckpoint {
  sessionID: string;
  occasion: Occasion;
  note?: string | undefined;
}

const LONGEST_NOTE = 200;
/** Characters. */
const LONGEST_PLAN = 20_000;
/** Larger files are not plans. */
const LARGEST_PLAN_BYTES = 1_000_000;
const MOST_MEMORIES = 200;

/** `undefined` if the session has no notes. Rejects with the system's error. */
export async function takeCheckpoint(
  options: TakeOptions,
  { note, occasion, sessionID }: WantedCheckpoint,
): Promise<Checkpoint | undefined> {
  const session = await readSession(options, sessionID);
  if (!session) return undefined;
  const nowMs = options.clock.now();
  const words = note === undefined ? "" : toSafeLine(note, LONGEST_NOTE);
  const notes = await readSafePage(options, sessionID);
  const plan = await readPlan(options, session);
  return {
    v: 1,
    id: formatCheckpointID(sessionID, occasion, nowMs),
    sessionID,
    at: new Date(nowMs).toISOString(),
    occasion,
    ...(words !== "" && { note: words }),
    ledger: session.stored.ledger,
    removed: [...session.removed],
    notesPath: session.path,
    ...(notes !== undefined && { notes }),
    ...(plan !== undefined && { plan }),
    files: await lookAtFiles(options, session),
    memories: (await options.listMemories())
      .filter(({ isForeign, provenance }) => !isForeign && provenance.session === sessionID)
      .slice(-MOST_MEMORIES)
      .map(toMemory),
  };
}

const toMemory = (memory: Memory): CheckpointMemory => ({
  id: memory.id,
  title: toSafeLine(memory.title, LONGEST_NOTE),
  isPrivate: isPrivate(memory),
});

const isPrivate = ({ isKeptOut, sensitivity }: Pick<Memory, "isKeptOut" | "sensitivity">): boolean =>
  sensitivity === "private" || isKeptOut === true;

/** The memories that still exist, marked private if they are so now. Pure. */
export function findStanding(
  memories: readonly CheckpointMemory[],
  now: readonly Memory[],
): CheckpointMemory[] {
  const known = new Map(now.map((memory) => [memory.id, memory]));
  return memories.flatMap((memory) => {
    const today = known.get(memory.id);
    return today ? [{ ...memory, isPrivate: memory.isPrivate || isPrivate(today) }] : [];
  });
}

async function readPlan(
  { clock, files, project }: TakeOptions,
  { stored }: ReadSession,
): Promise<string | undefined> {
  const { plan } = stored.ledger;
  const path = plan && resolve(project, plan.path);
  const stat = path === undefined ? undefined : await files.stat(path);
  if (path === undefined || stat?.kind !== "file" || stat.bytes > LARGEST_PLAN_BYTES) return undefined;
  const text = cut((await readText(files, path)) ?? "", LONGEST_PLAN);
  return (await inSlices(clock, removeSecrets(text))).text;
}

/** The edited files of a session as they are now. Rejects with the system's error. */
export async function lookAtFiles(
  { complain, files, project }: Pick<TakeOptions, "complain" | "files" | "project">,
  { stored }: { stored: Pick<ReadSession["stored"], "ledger"> },
): Promise<CheckpointFile[]> {
  const edited = stored.ledger.files.filter(({ isEdited }) => isEdited);
  return Promise.all(
    edited.map(async ({ key: name }): Promise<CheckpointFile> => {
      const stat = await files.stat(resolve(project, name)).catch((thrown) => {
        complain(`cannot look at ${name}: ${formatError(thrown)}`);
        return undefined;
      });
      return stat?.kind === "file" ? { name, bytes: stat.bytes, modifiedMs: stat.modifiedMs } : { name };
    }),
  );
}
