/**
 * Puts away files that no session needs: notes of long unused sessions go to `session-memory/archive/`, and files that have
 * expired to `strata/removed/`, which a start empties after a month. An undo moves them back. Nothing is overwritten.
 */
import { basename, join } from "node:path";
import { DAY_MS } from "../../src/base/days.js";
import { formatError } from "../../src/base/error.js";
import type { Clock } from "../../src/io/clock.js";
import { type Files, pathBelow } from "../../src/io/files.js";
import type { Log } from "../../src/io/log.js";
import {
  type ExpiredFile,
  type ExpiryWorld,
  type FileKind,
  findExpired,
} from "../../src/kernel/file-kinds.js";
import { planPaths, readSessionID } from "../../src/notes/session-files.js";
import type { Move } from "../../src/project/dream-state.js";
import type { Folders } from "../../src/project/folders.js";

export interface PutAwayParts {
  clock: Clock;
  files: Files;
  folders: Folders;
  log: Log;
  listExpired(): Promise<readonly ExpiredFile[]>;
}

const NOTES_DAYS = 180;
const EXPIRED_DAYS = 30;

/** Without what every start removes. Rejects with the system's error. */
export const listExpired = (world: ExpiryWorld, kinds: readonly FileKind[]): Promise<ExpiredFile[]> =>
  findExpired(
    world,
    kinds.filter(({ expiry }) => expiry && !expiry.atStart),
    EXPIRED_DAYS,
  );

export async function planMoves(parts: PutAwayParts, { id: run, time: at }: { id: string; time: string }) {
  const { project, strata } = parts.folders;
  const pathOf = (path: string): string => pathBelow(project, path) ?? path;
  const notes = await planNotes(parts);
  const expired = (await parts.listExpired()).filter(({ path }) => notes.every(({ from }) => from !== path));
  const nameOf = (path: string, n: number): string => `${run}-${n}-${basename(path)}`;
  const removed = expired.map(({ path: from }, n) => ({
    from,
    to: join(strata, "removed", nameOf(from, n)),
  }));
  return [...notes, ...removed].map(({ from, to }) => ({ run, at, from: pathOf(from), to: pathOf(to) }));
}

/** Returns what was moved. Never rejects: the next dream tries the rest again. */
export async function putAway(
  { clock, files, folders: { project }, log }: PutAwayParts,
  moves: readonly Move[],
): Promise<Move[]> {
  const done: Move[] = [];
  for (const move of moves) {
    const [from, to] = [join(project, move.from), join(project, move.to)];
    try {
      if ((await files.statItself(from))?.kind !== "file") continue;
      // It expires from now on, and so it does if an undo moves it back. A start would remove an old file at once.
      await files.touch(from, clock.now());
      await files.rename(from, to);
      done.push(move);
    } catch (thrown) {
      log.warn("dream", `cannot put away ${move.from}: ${formatError(thrown)}`);
    }
  }
  return done;
}

/** Returns the paths of what is back, and of what is not; of a dream that was killed some may never have left. Rejects with the system's error. */
export async function bringBack(
  { files, folders: { project } }: Pick<PutAwayParts, "files" | "folders">,
  moves: readonly Move[],
): Promise<{ ids: string[]; left: { id: string; why: string }[] }> {
  const ids: string[] = [];
  const left: { id: string; why: string }[] = [];
  for (const { from, to } of moves) {
    const [away, here] = await Promise.all([to, from].map((path) => files.statItself(join(project, path))));
    if (here && away) left.push({ id: from, why: "another file has its name now" });
    else if (here) continue;
    else if (away?.kind !== "file")
      left.push({ id: from, why: "it is gone: what was put away is kept for a month" });
    else {
      await files.rename(join(project, to), join(project, from));
      ids.push(from);
    }
  }
  return { ids, left };
}

/** The notes of sessions without a file changed within `NOTES_DAYS`, sorted by name. */
async function planNotes({ clock, files, folders: { sessionMemory } }: PutAwayParts) {
  const archive = join(sessionMemory, "archive");
  const taken = (await files.list(archive)).map(readID);
  const sessions = new Set((await files.list(sessionMemory)).map(readID).filter((id) => id !== undefined));
  const latestMs = clock.now() - NOTES_DAYS * DAY_MS;
  const moves: { from: string; to: string }[] = [];
  for (const id of sessions) {
    const paths = listNotes(sessionMemory, id);
    const stats = await Promise.all(paths.map((path) => files.statItself(path)));
    const found = stats.filter((stat) => stat !== undefined);
    if (found.some(({ kind, modifiedMs }) => kind !== "file" || modifiedMs > latestMs)) continue;
    // A session may be used again after its notes were archived, and grow old again.
    let name = id;
    for (let n = 2; taken.includes(name); n++) name = `${id}-${n}`;
    const targets = listNotes(archive, name);
    for (const [n, from] of paths.entries()) if (stats[n]) moves.push({ from, to: targets[n] ?? from });
  }
  return moves;
}

/** The session of a page or a stored file; a page that a person put there has another name. */
const readID = (name: string): string | undefined =>
  readSessionID(name) ?? /^(ses_[\w-]+)\.md$/.exec(name)?.[1];

/** The stored file comes last: after a crash between the two, the session still counts as old. */
function listNotes(folder: string, id: string): string[] {
  const { notes, previous, stored } = planPaths(folder, id);
  return [previous, notes, stored];
}
