/** Records of conflicts: two versions of a memory, between which the user decides. */
import { basename, dirname, join, relative } from "node:path";
import { hashOf } from "../../base/hash.js";
import type { Clock } from "../../io/clock.js";
import { type Files, readPlainText } from "../../io/files.js";
import {
  type Conflict,
  fingerprint,
  formatConflict,
  formatConflictName,
  isSettled,
  parseConflict,
} from "../conflict.js";
import type { Memory } from "../memory.js";
import { CONFLICTS, formatConflictPath, isConflictFile } from "../path.js";
import type { NamedContents } from "../trust/record.js";
import type { Trust } from "../trust/trust.js";
import { listItself } from "./scan.js";

export type ConflictLog = ReturnType<typeof createConflictLog>;

export interface ConflictLogOptions {
  clock: Clock;
  files: Files;
  /** `.opencode/memory` of the project; also holds records about global memories. */
  folder: string;
  /** Excludes records that came with the repository; without it all are listed. */
  trust?: Pick<Trust, "isOwn" | "own">;
}

/** The version that differs from the stored memory. */
export interface OtherVersion {
  content: string;
  title: string;
  id?: string;
  sensitivity?: Memory["sensitivity"];
  /** The session that wrote it. */
  by: string | undefined;
}

export function createConflictLog({ clock, files, folder, trust }: ConflictLogOptions) {
  const [shared, hidden] = planConflictFolders(folder);

  return {
    /** Writes the record and returns its path, which is the same for the same two versions. */
    async add(inUse: Memory, other: OtherVersion): Promise<string> {
      const { by, content, id, title } = other;
      const { session } = inUse.provenance;
      const conflict: Conflict = {
        ...{ v: 1, id: inUse.id, title: inUse.title, standing: fingerprint(inUse) },
        ...{ other: fingerprint({ content, title }), found: new Date(clock.now()).toISOString() },
        ...(id !== undefined && { otherID: id }),
        ...(session !== undefined && { standingBy: session }),
        ...(by !== undefined && { otherBy: by }),
      };
      // A record with private text must not be committed.
      const isPrivate = [inUse, other].some(({ sensitivity }) => sensitivity === "private");
      const path = join(isPrivate ? hidden : shared, formatConflictName(conflict));
      const page = formatConflict(conflict, inUse.content, content);
      await trust?.own([nameConflictRecord(folder, { path, hash: hashOf(page) })]);
      await files.create(path, page);
      return path;
    },

    /** Conflicts that these memories leave unsettled, the oldest first; archives the others. */
    async listOpen(memories: readonly Memory[]): Promise<readonly ConflictRecord[]> {
      const open: ConflictRecord[] = [];
      for (const conflict of await readConflictRecords(files, folder)) {
        if (trust && !trust.isOwn(nameConflictRecord(folder, conflict))) continue;
        if (isSettled(conflict, memories)) await archive(conflict.path);
        else open.push(conflict);
      }
      return open.sort((a, b) => (a.found < b.found ? -1 : 1));
    },

    /** Archives a record that a person has decided, even if both versions are unchanged. */
    settle: ({ path }: Pick<ConflictRecord, "path">) => archive(path),
  };

  /** Moves a record to `archive/conflicts/` of its root, a private one to `private/archive/conflicts/`. */
  async function archive(path: string): Promise<void> {
    const root = dirname(dirname(path));
    const target = formatConflictPath(basename(path), { isArchived: true });
    const bytes = await files.read(path);
    if (!bytes) return;
    // Written, not renamed, because a rename creates no folders.
    await files.writeWhole(join(root, target), bytes);
    await files.remove(path);
  }
}

export interface ConflictRecord extends Conflict {
  path: string;
  /** Hash of the whole file. */
  hash: string;
}

/** Folders of the records in the project's memory folder; private memories have their own. */
export function planConflictFolders(folder: string): readonly [shared: string, hidden: string] {
  return [join(folder, CONFLICTS), join(folder, "private", CONFLICTS)];
}

/** The record's name and hash for the trust record: `conflicts/…`, for private memories `private/conflicts/…`. */
export function nameConflictRecord(
  folder: string,
  { hash, path }: Pick<ConflictRecord, "hash" | "path">,
): NamedContents {
  return { name: relative(folder, path).replaceAll("\\", "/"), hash };
}

export function isConflictRecord(name: string): boolean {
  return /^(private\/)?conflicts\//.test(name);
}

/** All records, including settled ones. Rejects with the system's error. */
export async function readConflictRecords(files: Files, folder: string): Promise<ConflictRecord[]> {
  const records: ConflictRecord[] = [];
  for (const under of planConflictFolders(folder))
    for (const name of (await listItself(files, under)).filter(isConflictFile)) {
      const path = join(under, name);
      const text = await readPlainText(files, path);
      const conflict = parseConflict(text);
      if (conflict) records.push({ ...conflict, path, hash: hashOf(text) });
    }
  return records;
}
