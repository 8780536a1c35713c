import { join, relative } from "node:path";
import { hashOf } from "../base/hash.js";
import { decodeText, type Files } from "../io/files.js";
import { type Conflict, parseConflict } from "./conflict.js";
import { CONFLICTS, isConflictFile } from "./path.js";
import { listItself, readWithin } from "./store/obstacle.js";
import type { NamedContents } from "./trust/record.js";

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
  const found = await Promise.all(planConflictFolders(folder).map((one) => readFolder(files, one)));
  return found.flat();
}

async function readFolder(files: Files, folder: string): Promise<ConflictRecord[]> {
  const names = (await listItself(files, folder)).filter(isConflictFile);
  const read = await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      const bytes = await readWithin(files, folder, name);
      const conflict = bytes && parseConflict(decodeText(bytes));
      return conflict ? [{ ...conflict, path, hash: hashOf(bytes) }] : [];
    }),
  );
  return read.flat();
}
