/** Moves the notes of long unused sessions to `.opencode/session-memory/archive`, where only `gc` removes them. */
import { join } from "node:path";
import { DAY_MS } from "../../src/base/days.js";
import { formatError } from "../../src/base/error.js";
import type { Clock } from "../../src/io/clock.js";
import type { Files } from "../../src/io/files.js";
import type { Log } from "../../src/io/log.js";
import { planPaths, readSessionID } from "../../src/notes/session-files.js";
import type { Folders } from "../../src/project/folders.js";

/** Days after which the notes of an unused session are archived. */
const NOTES_DAYS = 180;
/** Per dream; the next one moves the rest. */
const MOST_SESSIONS = 500;

interface NotesParts {
  clock: Clock;
  files: Files;
  folders: Pick<Folders, "sessionMemory">;
}

/** Ids of sessions without a file changed within `NOTES_DAYS`, sorted by name. */
export async function findOldNotes(parts: NotesParts): Promise<string[]> {
  const { clock, files, folders } = parts;
  const { sessionMemory } = folders;
  const names = await files.list(sessionMemory);
  const sessions = new Set(names.map(readID).filter((id) => id !== undefined));
  const latestMs = clock.now() - NOTES_DAYS * DAY_MS;
  const old: string[] = [];
  for (const id of sessions) {
    if (old.length === MOST_SESSIONS) break;
    const stats = await Promise.all(listNotes(sessionMemory, id).map((path) => files.statItself(path)));
    const found = stats.filter((stat) => stat !== undefined);
    if (found.every(({ kind, modifiedMs }) => kind === "file" && modifiedMs <= latestMs)) old.push(id);
  }
  return old;
}

/** The session of a page or a stored file; a page that a person put there has another name. */
const readID = (name: string): string | undefined =>
  readSessionID(name) ?? /^(ses_[\w-]+)\.md$/.exec(name)?.[1];

/** The stored file comes last: after a crash between the two, the session still counts as old. */
function listNotes(folder: string, id: string): string[] {
  const { notes, previous, stored } = planPaths(folder, id);
  return [previous, notes, stored];
}

/** Never rejects: the next dream retries what cannot be moved. */
export async function archiveNotes(
  { files, folders: { sessionMemory }, log }: Pick<NotesParts, "files" | "folders"> & { log: Log },
  sessions: readonly string[],
): Promise<void> {
  const archive = join(sessionMemory, "archive");
  for (const id of sessions) {
    try {
      // A session may be used again after its notes were archived, and grow old again.
      const taken = (await files.list(archive)).map(readID);
      let name = id;
      for (let n = 2; taken.includes(name); n++) name = `${id}-${n}`;
      const targets = listNotes(archive, name);
      for (const [n, path] of listNotes(sessionMemory, id).entries())
        await files.rename(path, targets[n] ?? path);
    } catch (thrown) {
      log.warn("dream", `cannot archive the notes of ${id}: ${formatError(thrown)}`);
    }
  }
}
