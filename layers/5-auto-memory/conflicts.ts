/**
 * Keeps two instances from overwriting each other's memories without a word.
 *
 *     see        this is how a memory looked when this instance last read or wrote it
 *     remember   about something that has changed since: not written, both versions stand in a record
 *     update     of something that has changed since: the same
 *                as ever, but somebody wrote the same meanwhile: both are memories, and a record says so
 *     open       records that nobody has settled; settled ones are moved to the archive on the way
 */
import { basename, dirname, join } from "node:path";
import { StrataError } from "../../src/error.js";
import { hashOf } from "../../src/hash.js";
import {
  type Conflict,
  findUnseenRival,
  fingerprint,
  formatConflict,
  formatConflictName,
  isSettled,
} from "../../src/memory/conflict.js";
import {
  type ConflictRecord,
  nameConflictRecord,
  planConflictFolders,
  readConflictRecords,
} from "../../src/memory/conflict-records.js";
import type { Memory, MemoryDraft } from "../../src/memory/memory.js";
import { formatConflictPath } from "../../src/memory/path.js";
import type { Cause } from "../../src/memory/store/ledger-line.js";
import { findObstacle, formatObstacle } from "../../src/memory/store/obstacle.js";
import type { MemoryStore, Written } from "../../src/memory/store.js";
import type { Clock } from "../../src/seams/clock.js";
import type { Files } from "../../src/seams/files.js";
import type { Trust } from "../../src/trust/trust.js";

export interface Conflicts {
  see(memories: readonly Memory[]): void;
  /** As the store's own. A draft without a title is about nothing that others could be about. */
  remember(draft: MemoryDraft, cause: Cause): Promise<Remembered>;
  /** As the store's own. What this instance has never seen is changed as it is. */
  update: (...given: Parameters<MemoryStore["update"]>) => Promise<Remembered>;
  /** The oldest first. */
  open(): Promise<readonly OpenConflict[]>;
}

export type Remembered =
  | Written
  /** Nothing was written but the record; `existing` stands. */
  | { kind: "conflict"; existing: Memory; path: string };

export type OpenConflict = ConflictRecord;

export interface ConflictsOptions {
  clock: Clock;
  files: Files;
  store: Pick<MemoryStore, "list" | "remember" | "update">;
  /** `.opencode/memory` of the project; of what holds everywhere the records lie here too. */
  folder: string;
  /** A record that came with the repository is nobody's question; without it all of them are asked. */
  trust?: Pick<Trust, "isOwn" | "own">;
  /** As the store's: why this may not be kept, since a record keeps it too. */
  gate?: (memory: { title: string; content: string }) => Promise<string | undefined>;
}

/** What stands against the standing version. */
interface Other {
  content: string;
  title: string;
  id?: string;
  sensitivity?: Memory["sensitivity"];
  by: string | undefined;
}

export function createConflicts({ clock, files, folder, gate, store, trust }: ConflictsOptions): Conflicts {
  const seen = new Map<string, string>();
  const [shared, hidden] = planConflictFolders(folder);

  return {
    see,

    async remember(draft, cause) {
      const { title } = draft;
      if (title === undefined) return note(await store.remember(draft, cause));
      const existing = findUnseenRival({ ...draft, title }, await listOwn(), seen);
      if (existing) {
        const why = await gate?.({ title, content: draft.content });
        if (why !== undefined) return { kind: "refused", why };
        const path = await record(existing, { ...draft, title, by: cause.session });
        return { kind: "conflict", existing, path };
      }
      const written = note(await store.remember(draft, cause));
      if (written.kind === "written" && !written.isKnown) await recordRace(written.memory);
      return written;
    },

    async update(id, change, cause) {
      let rival: { theirs: Memory; ours: Memory } | undefined;
      const written = await store.update(
        id,
        (theirs) => {
          const ours = change(theirs);
          const known = seen.get(id);
          const isRival =
            ours !== undefined &&
            known !== undefined &&
            known !== fingerprint(theirs) &&
            differ(ours, theirs);
          rival = isRival ? { theirs, ours } : undefined;
          return isRival ? undefined : ours;
        },
        cause,
      );
      if (!rival) return note(written);
      const { theirs, ours } = rival;
      const why = await gate?.(ours);
      if (why !== undefined) return { kind: "refused", why };
      const { content, sensitivity, title } = ours;
      const path = await record(theirs, { content, sensitivity, title, by: cause.session });
      see([theirs]);
      return { kind: "conflict", existing: theirs, path };
    },

    async open() {
      const memories = await store.list();
      const unsettled: OpenConflict[] = [];
      for (const conflict of await readConflictRecords(files, folder)) {
        if (trust && !trust.isOwn(nameConflictRecord(folder, conflict))) continue;
        if (isSettled(conflict, memories)) await archive(conflict.path);
        else unsettled.push(conflict);
      }
      return unsettled.sort((a, b) => (a.found < b.found ? -1 : 1));
    },
  };

  /** What came with the repository is nobody's version. */
  async function listOwn(): Promise<readonly Memory[]> {
    return (await store.list()).filter(({ isForeign }) => !isForeign);
  }

  function see(memories: readonly Memory[]): void {
    for (const memory of memories) seen.set(memory.id, fingerprint(memory));
  }

  function note(written: Written): Written {
    if (written.kind !== "refused") see([written.memory]);
    return written;
  }

  /** Somebody may have written about the same between the look and the writing. */
  async function recordRace(own: Memory): Promise<void> {
    const rival = findUnseenRival(
      own,
      (await listOwn()).filter(({ id }) => id !== own.id),
      seen,
    );
    if (!rival) return;
    // Both find the other: who is first in the alphabet stands, so that they make one record.
    const [standing, other] = rival.id < own.id ? [rival, own] : [own, rival];
    await record(standing, { ...other, by: other.provenance.session });
  }

  /** Once for the same two versions. */
  async function record(standing: Memory, other: Other): Promise<string> {
    const { by, content, id, title } = other;
    const conflict: Conflict = {
      v: 1,
      id: standing.id,
      title: standing.title,
      standing: fingerprint(standing),
      other: fingerprint({ content, title }),
      found: new Date(clock.now()).toISOString(),
      ...(id !== undefined && { otherID: id }),
      ...(standing.provenance.session !== undefined && { standingBy: standing.provenance.session }),
      ...(by !== undefined && { otherBy: by }),
    };
    // What is private on either side must not be committed with the record.
    const isHidden = [standing, other].some(({ sensitivity }) => sensitivity === "private");
    const path = join(isHidden ? hidden : shared, formatConflictName(conflict));
    const own = formatConflictPath(basename(path), { isArchived: false });
    const obstacle = await findObstacle(files, dirname(dirname(path)), own);
    if (obstacle) throw new StrataError("ENOTWRITTEN", formatObstacle(obstacle));
    const page = formatConflict(conflict, standing.content, content);
    await trust?.own([nameConflictRecord(folder, { path, hash: hashOf(page) })]);
    await files.create(path, page);
    return path;
  }

  /** Beside what it was found among: `archive/conflicts/`, of private ones `private/archive/conflicts/`. */
  async function archive(path: string): Promise<void> {
    const root = dirname(dirname(path));
    const target = formatConflictPath(basename(path), { isArchived: true });
    const bytes = (await findObstacle(files, root, target)) ? undefined : await files.read(path);
    if (!bytes) return;
    // Written first: a rename makes no folders.
    await files.writeWhole(join(root, target), bytes);
    await files.remove(path);
  }
}

/** What somebody has changed that this instance shows or writes: for whoever wrote the other version. */
export function refuseConflict({ existing, path }: Remembered & { kind: "conflict" }): Written {
  const why = `Somebody else in this project has written about "${existing.title}" and says otherwise (${existing.id}). Both versions stand in ${path}; ask the user which holds, then bring ${existing.id} to what holds.`;
  return { kind: "refused", why, existing };
}

const differ = (one: Memory, other: Memory): boolean => fingerprint(one) !== fingerprint(other);

/** For the beginning of a session: one line each, `undefined` when there are none. */
export function formatOpenConflicts(conflicts: readonly OpenConflict[], most = 5): string | undefined {
  if (conflicts.length === 0) return undefined;
  const lines = conflicts
    .slice(0, most)
    .map(({ id, path, title }) => `- "${title}" (${id}): both are in ${path}`);
  const more = conflicts.length > most ? [`- and ${conflicts.length - most} more beside them`] : [];
  return ["Two versions each, and nobody has decided which holds; ask the user:", ...lines, ...more].join(
    "\n",
  );
}
