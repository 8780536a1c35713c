/**
 * Conflicts: two versions of one memory, undecided, each in a file for people to read and settle.
 *
 *     <memory>/conflicts/<name>-<8 hex>.md            private memories: <memory>/private/conflicts/
 *
 * The first line is for the machine, the rest for people.
 */
import { basename, dirname, join, relative } from "node:path";
import { hashOf } from "../../base/hash.js";
import { each, isVersion, object, optional, parseJson, parserOf, string } from "../../base/shape.js";
import type { Clock } from "../../io/clock.js";
import { type Files, readPlainText } from "../../io/files.js";
import { isCurrent, type Memory, type MemoryDraft, parseID } from "../memory.js";
import { ARCHIVE, CONFLICTS, isMemoryFile } from "../path.js";
import type { NamedContents } from "../trust/record.js";
import type { Trust } from "../trust/trust.js";
import { listItself } from "./scan.js";

export interface Conflict {
  v: 1;
  id: string;
  title: string;
  /** `fingerprint` of the memory in use; once it differs, the conflict is settled. */
  standing: string;
  /** Id of the other version, if it is a memory too. */
  otherID?: string;
  /** `fingerprint` of the other version. */
  other: string;
  /** ISO date-time. */
  found: string;
  /** Who wrote each version, if known. */
  standingBy?: string;
  otherBy?: string;
}

/** Hash of what two versions can disagree on: title and content. */
export function fingerprint({ content, title }: Pick<Memory, "content" | "title">): string {
  return hashOf(`${foldText(title)}\n${foldText(content)}`).slice(0, 16);
}

/** Fingerprints of a memory with and without its title, to find another one that repeats it. */
export function listFingerprints({ content, title }: Pick<Memory, "content" | "title">): string[] {
  const whole = fingerprint({ content, title });
  return content === "" ? [whole] : [whole, fingerprint({ title: "", content })];
}

/**
 * The memory that a draft rivals unknowingly: same scope, type and title, different content, and changed since this
 * instance last saw it. `seen` holds fingerprints by id. Pure.
 */
export function findUnseenRival(
  draft: Pick<Memory, "content" | "title" | "type"> & Pick<MemoryDraft, "scope">,
  memories: readonly Memory[],
  seen: ReadonlyMap<string, string>,
): Memory | undefined {
  return memories.find(
    (memory) =>
      memory.type === draft.type &&
      memory.scope === (draft.scope ?? "project") &&
      isCurrent(memory) &&
      foldText(memory.title) === foldText(draft.title) &&
      foldText(memory.content) !== foldText(draft.content) &&
      seen.get(memory.id) !== fingerprint(memory),
  );
}

/** File name of a conflict: the same for the same two versions, in either order. */
export function formatConflictName(given: Pick<Conflict, "id" | "other" | "standing">): string {
  const { id, other, standing } = given;
  const both = [standing, other].sort().join(" ");
  const name = id.split("/").at(-1) ?? "memory";
  return `${name.slice(0, 80)}-${hashOf(both).slice(0, 8)}.md`;
}

export function formatConflict(conflict: Conflict, inUse: string, other: string): string {
  const { found, id, otherBy, otherID, standingBy, title } = conflict;
  const by = (who: string | undefined): string => (who === undefined ? "" : `, from ${who}`);
  return [
    `<!-- strata-conflict ${JSON.stringify(conflict).replaceAll("--", "\\u002d\\u002d")} -->`,
    `# Two versions of "${title}"`,
    `Found ${found}. Change \`${id}\` to what holds, or archive it: then this is settled, and moved to the archive.`,
    `## What stands: \`${id}\`${by(standingBy)}`,
    inUse,
    `## The other version${otherID === undefined ? "" : `: \`${otherID}\``}${by(otherBy)}`,
    other,
    "",
  ].join("\n\n");
}

/** The text of the other version in a record; `undefined` if the record has none. */
export function readOtherVersion(text: string): string | undefined {
  const [, other] = /\n## The other version[^\n]*\n\n([\s\S]*)$/.exec(text) ?? [];
  return other?.trim() || undefined;
}

const isID = (value: unknown): value is string => string(value) && parseID(value) !== undefined;

const isConflict = object<Conflict>({
  v: isVersion,
  id: isID,
  otherID: optional(isID),
  ...each(string, "title", "standing", "other", "found"),
  ...each(optional(string), "standingBy", "otherBy"),
});

/** `undefined` if the file is not a conflict record. */
export function parseConflict(text: string): Conflict | undefined {
  const [, line = ""] = /^<!-- strata-conflict (.*) -->$/m.exec(text.slice(0, 10_000)) ?? [];
  return parserOf(isConflict)(parseJson(line));
}

/** True once either version is changed or no longer in use. */
export function isSettled(conflict: Conflict, memories: readonly Memory[]): boolean {
  const find = (wanted: string): Memory | undefined =>
    memories.find((memory) => memory.id === wanted && isCurrent(memory));
  const inUse = find(conflict.id);
  if (!inUse || fingerprint(inUse) !== conflict.standing) return true;
  if (conflict.otherID === undefined) return false;
  const other = find(conflict.otherID);
  return !other || fingerprint(other) !== conflict.other;
}

const foldText = (text: string): string => text.replace(/\s+/g, " ").trim().toLowerCase();

/* The records of a project, on disk. */

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
      const { open, settled } = await look(memories);
      for (const { path } of settled) await archive(path);
      return open;
    },

    /** The same, and moves nothing. */
    findOpen: async (memories: readonly Memory[]): Promise<readonly ConflictRecord[]> =>
      (await look(memories)).open,

    /** Archives a record that a person has decided, even if both versions are unchanged. */
    settle: ({ path }: Pick<ConflictRecord, "path">) => archive(path),
  };

  async function look(memories: readonly Memory[]) {
    const all = await readConflictRecords(files, folder);
    const own = all.filter((one) => !trust || trust.isOwn(nameConflictRecord(folder, one)));
    own.sort((a, b) => (a.found < b.found ? -1 : 1));
    const settled = own.filter((one) => isSettled(one, memories));
    return { open: own.filter((one) => !settled.includes(one)), settled };
  }

  /** Moves a record to `archive/conflicts/` of its root, a private one to `private/archive/conflicts/`. */
  function archive(path: string): Promise<void> {
    return files.rename(path, join(dirname(dirname(path)), ARCHIVE, CONFLICTS, basename(path)));
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
    for (const name of (await listItself(files, under)).filter(isMemoryFile)) {
      const path = join(under, name);
      const text = await readPlainText(files, path);
      const conflict = parseConflict(text);
      if (conflict) records.push({ ...conflict, path, hash: hashOf(text) });
    }
  return records;
}
