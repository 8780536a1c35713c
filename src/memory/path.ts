/**
 * Paths of the files that memory consists of, from the folder of a shelf. The one place that takes them apart and puts
 * them together.
 *
 *     [archive/]<type>/<name>.md             a memory
 *     [archive/]conflicts/<name>.md          two versions of one that nobody has decided between
 *     ledger/<year>-<month>-<clone>.jsonl    changes
 *
 * There are two questions. A file that a listing has shown lies in the folder, whatever it is called: `splitPath` reads
 * any name that a memory may have. What a line in some file says (a ledger, a half-done change, what was written down of
 * an earlier look) may come from anybody: `parsePath` also refuses names that another disk, or a reader, takes for
 * something else. Files with such a name are read and used; they have no history, and nothing changes them.
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

const ENDING = ".md";
/** The longest name has 240 bytes. */
const LONGEST_PATH = 300;
const LONGEST_QUOTE = 80;

export function formatPath({ isArchived, name, type }: MemoryPath): string {
  return `${isArchived ? `${ARCHIVE}/` : ""}${type}/${name}${ENDING}`;
}

/** Takes the path of a file that was found apart; `undefined` where no memory can lie. */
export function splitPath(path: string): MemoryPath | undefined {
  if (path.length > LONGEST_PATH) return undefined;
  const [, archive, type, name = ""] = /^(archive\/)?([a-z]+)\/([^/]+)\.md$/s.exec(path) ?? [];
  return isType(type) && isName(name) ? { type, name, isArchived: archive !== undefined } : undefined;
}

/** Takes a path that somebody has written down apart; `undefined` for any that no line may name. */
export function parsePath(path: string): MemoryPath | undefined {
  const parts = splitPath(path);
  return parts && findNameFault(parts.name) === undefined ? parts : undefined;
}

/** Why `parsePath` refuses this one; `undefined` where it does not. */
export function findPathFault(path: string): string | undefined {
  const parts = splitPath(path);
  if (!parts) return `${quotePath(path)} is no path of a memory, which is [archive/]<type>/<name>.md`;
  const fault = findNameFault(parts.name);
  return fault === undefined ? undefined : `${quotePath(path)} is no path of a memory: ${fault}`;
}

/** Can the ledger name the file of this memory? Else nothing but a person changes it. */
export function hasHistory({ id }: Pick<Memory, "id">): boolean {
  const place = parseID(id);
  return place !== undefined && findNameFault(place.name) === undefined;
}

/** A folder in which memories lie, or that of the shelf itself. */
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

/** A conflict's record, by the name of its file. */
export const isConflictFile = isMemoryFile;

/** `file` is the name with its ending. */
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

/** For people: short, on one line, and with nothing in it that a terminal obeys or hides. */
export function quotePath(path: string): string {
  const short = path.length > LONGEST_QUOTE ? `${path.slice(0, LONGEST_QUOTE)}…` : path;
  return JSON.stringify(short).replace(
    /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu,
    (letter) => `\\u{${letter.codePointAt(0)?.toString(16)}}`,
  );
}
