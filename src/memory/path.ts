/**
 * Paths of memory files, relative to a shelf's folder. Only this file parses and formats them.
 *
 *     [archive/]<type>/<name>.md             a memory
 *     [archive/]conflicts/<name>.md          two versions of a memory, undecided
 *     ledger/<year>-<month>-<clone>.jsonl    changes
 *
 * Two cases differ. A file from a listing is in the folder, whatever its name: `splitPath` accepts every name a memory
 * may have. A path read from a file (a ledger, a pending change, a saved listing) is untrusted: `parsePath` also
 * refuses names that another disk, or a reader, takes for something else. Files with such a name are read and used;
 * they have no history, and only a person changes them.
 */
import { isName, isType, type Place, parseID } from "./id.js";
import type { Memory } from "./memory.js";
import { findNameFault } from "./name.js";

export interface MemoryPath extends Pick<Place, "type" | "name"> {
  isArchived: boolean;
}

export const ARCHIVE = "archive";
export const CONFLICTS = "conflicts";
export const LEDGER = "ledger";
/** The ledger of private memories; it also has the lines of memories beside it that git ignores. */
export const HIDDEN_LEDGER = `private/${LEDGER}`;

const ENDING = ".md";
/** The longest name has 240 bytes. */
const LONGEST_PATH = 300;
const LONGEST_QUOTE = 80;

export function formatPath({ isArchived, name, type }: MemoryPath): string {
  return `${isArchived ? `${ARCHIVE}/` : ""}${type}/${name}${ENDING}`;
}

/** Parses the path of a file from a listing; `undefined` if no memory can be there. */
export function splitPath(path: string): MemoryPath | undefined {
  if (path.length > LONGEST_PATH) return undefined;
  const [, archive, type, name = ""] = /^(archive\/)?([a-z]+)\/([^/]+)\.md$/s.exec(path) ?? [];
  return isType(type) && isName(name) ? { type, name, isArchived: archive !== undefined } : undefined;
}

/** Parses an untrusted path; `undefined` for one that no line of a file may name. */
export function parsePath(path: string): MemoryPath | undefined {
  const parts = splitPath(path);
  return parts && findNameFault(parts.name) === undefined ? parts : undefined;
}

/** Why `parsePath` refuses this path; `undefined` if it does not. */
export function findPathFault(path: string): string | undefined {
  const parts = splitPath(path);
  if (!parts) return `${quotePath(path)} is not a memory path, expected [archive/]<type>/<name>.md`;
  const fault = findNameFault(parts.name);
  return fault === undefined ? undefined : `${quotePath(path)} is not a memory path: ${fault}`;
}

/** True if the ledger can name this memory's file. Otherwise only a person changes it. */
export function hasHistory({ id }: Pick<Memory, "id">): boolean {
  const place = parseID(id);
  return place !== undefined && findNameFault(place.name) === undefined;
}

/** True for the shelf's folder and for folders that hold memories. */
export function isFolderPath(path: string): boolean {
  const [first = "", second, ...deeper] = path.split("/");
  if (deeper.length > 0) return false;
  return second === undefined
    ? ["", ARCHIVE].includes(path) || isType(path)
    : first === ARCHIVE && isType(second);
}

export function isMemoryFile(file: string): boolean {
  return file.endsWith(ENDING) && isName(file.slice(0, -ENDING.length));
}

/** True for the file name of a conflict record. */
export const isConflictFile = isMemoryFile;

/** `file` is the name with its extension. */
export function formatConflictPath(file: string, { isArchived }: Pick<MemoryPath, "isArchived">): string {
  return `${isArchived ? `${ARCHIVE}/` : ""}${CONFLICTS}/${file}`;
}

/** `at` is an ISO date-time, `clone` a name of `nameClone`. */
export function formatLedgerFile(at: string, clone: string): string {
  return `${at.slice(0, 7)}-${clone}.jsonl`;
}

export function isLedgerFile(file: string): boolean {
  return /^\d{4}-\d{2}-([0-9a-f]{8}|unnamed)\.jsonl$/.test(file);
}

/** For people: short, on one line, with control and invisible characters escaped. */
export function quotePath(path: string): string {
  const short = path.length > LONGEST_QUOTE ? `${path.slice(0, LONGEST_QUOTE)}…` : path;
  return JSON.stringify(short).replace(
    /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu,
    (letter) => `\\u{${letter.codePointAt(0)?.toString(16)}}`,
  );
}
