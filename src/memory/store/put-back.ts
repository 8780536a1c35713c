/**
 * Finds memories that the host's undo restored to an earlier state, and their contents before it. Pure.
 *
 * The host writes an older version of a file, or removes the file, as a person could. Two signs tell the host: the file
 * is among the touched ones, and its present contents occurred there before.
 */

import { hashOf } from "../../base/hash.js";
import { type LedgerLine, replayLedger, sortByTime } from "./ledger-line.js";

export interface PutBack {
  path: string;
  /** Hash of the file the host left; `null` if the host removed it. */
  before: string | null;
  /** Contents to restore; `null` if there was no file. */
  contents: string | null;
}

export interface PutBackOptions {
  /** ISO date-time. */
  now: string;
  isTouched(path: string): boolean;
  /** Hash of the present file; `null` if there is none, `undefined` if unknown. */
  hashAt(path: string): string | null | undefined;
}

/** Age limit of lines that a look may have attributed to a person before the undo was known. */
const RECENT_MS = 60_000;

/** `lines` are all lines before the undo and those added since. */
export function findPutBack(lines: readonly LedgerLine[], options: PutBackOptions): PutBack[] {
  const { hashAt, isTouched } = options;
  const isRecent = ({ at }: LedgerLine): boolean => Date.parse(options.now) - Date.parse(at) < RECENT_MS;
  const versions = new Map<string, Set<string>>();
  const hostLines = new Set<LedgerLine>();
  const sorted = sortByTime(lines);
  for (const line of sorted) {
    const known = versions.get(line.path) ?? new Set();
    versions.set(line.path, known);
    if (isTouched(line.path) && isRecent(line) && mayBeHosts(line, known)) hostLines.add(line);
    else for (const hash of [line.before, line.after]) if (hash !== null) known.add(hash);
    if (line.from !== undefined && line.before !== null) versions.get(line.from)?.add(line.before);
  }
  const wanted = replayLedger(sorted.filter((line) => !hostLines.has(line)));
  const found: PutBack[] = [];
  for (const [path, known] of versions) {
    const before = hashAt(path);
    const contents = wanted.get(path) ?? null;
    if (before === undefined || !isTouched(path)) continue;
    if (before === (contents === null ? null : hashOf(contents))) continue;
    if (before === null || known.has(before)) found.push({ path, before, contents });
  }
  return found;
}

/**
 * True if the host may have made this change attributed to a person: it leaves no file, or contents that occurred there
 * before.
 */
export function mayBeHosts(
  { after, by }: Pick<LedgerLine, "after" | "by">,
  known: ReadonlySet<string>,
): boolean {
  return by === "person" && (after === null || known.has(after));
}
