/**
 * Which memories the host's undo has put back to an earlier state, and what they were before it. Pure.
 *
 * The host writes its older version of a file, or removes it, as a person could. Its doing is known by this: the file is
 * one of those that were touched, and what stands there now stood there before.
 */

import { hashOf } from "../../hash.js";
import { type LedgerLine, replayLedger, sortByTime } from "./ledger-line.js";

export interface PutBack {
  path: string;
  /** Hash of what the host has left there; `null` where it has removed the file. */
  before: string | null;
  /** What it was, to be written again; `null` where there was no file. */
  contents: string | null;
}

export interface PutBackOptions {
  /** ISO date-time. */
  now: string;
  isTouched(path: string): boolean;
  /** Of the file as it is; `null` where there is none, `undefined` where it cannot be told. */
  hashAt(path: string): string | null | undefined;
}

/** What a look has entered as a person's doing before anybody knew of the undo. */
const LATELY_MS = 60_000;

/** `lines` are all there were before the undo, and what has been entered since. */
export function findPutBack(lines: readonly LedgerLine[], options: PutBackOptions): PutBack[] {
  const { hashAt, isTouched } = options;
  const isLate = ({ at }: LedgerLine): boolean => Date.parse(options.now) - Date.parse(at) < LATELY_MS;
  const versions = new Map<string, Set<string>>();
  const noted = new Set<LedgerLine>();
  const sorted = sortByTime(lines);
  for (const line of sorted) {
    const known = versions.get(line.path) ?? new Set();
    versions.set(line.path, known);
    if (isTouched(line.path) && isLate(line) && mayBeHosts(line, known)) noted.add(line);
    else for (const hash of [line.before, line.after]) if (hash !== null) known.add(hash);
    if (line.from !== undefined && line.before !== null) versions.get(line.from)?.add(line.before);
  }
  const wanted = replayLedger(sorted.filter((line) => !noted.has(line)));
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
 * May the host have done what this line has as a person's, for want of a better name? It leaves no file, or one of those
 * that stood there before.
 */
export function mayBeHosts(
  { after, by }: Pick<LedgerLine, "after" | "by">,
  known: ReadonlySet<string>,
): boolean {
  return by === "person" && (after === null || known.has(after));
}
