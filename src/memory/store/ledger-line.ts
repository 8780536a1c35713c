/**
 * One change of one memory, as a line of the ledger. It holds the whole file as it was afterwards, so that the ledger
 * alone gives every file at every time, and the way back from a change is the line before it.
 */
import { findLaterVersion, isVersion } from "../../record/version.js";
import { each, either, object, oneOf, optional, string } from "../../shape.js";
import { findPathFault, formatPath, parsePath, quotePath } from "../path.js";

/** Why something is changed, for the ledger. */
export interface Cause {
  operation: string;
  session?: string;
  reason?: string;
  /** Changes that were made together have one in common. */
  run?: string;
  /** The run, or the ledger's line, that is taken back. */
  undoes?: string;
}

export interface LedgerLine extends Cause {
  v: 1;
  id: string;
  /** ISO date-time; of two lines about one file the later one has the later time, whatever the clock does. */
  at: string;
  instance: string;
  /** `person`: seen to have been done with an editor, or by git. */
  by: "strata" | "person";
  /** The memory's id. */
  key: string;
  /** Of its file, from the folder that the ledger is about. */
  path: string;
  /** Where the file was moved from, if it was. */
  from?: string;
  /** Hash of the file before; `null` when there was none. */
  before: string | null;
  after: string | null;
  /** The file afterwards; absent when it is gone, and when it is the same as before. */
  contents?: string;
}

/** What a text holds that should be a line. `what` goes on from "line 3". */
export type LineReading = { kind: "line"; line: LedgerLine } | { kind: "problem"; what: string };

/** Reads a line of the ledger whose memories have ids with this prefix; JSON that could not be parsed is `undefined`. */
export function readLedgerLine(value: unknown, prefix: string): LineReading {
  const version = findLaterVersion(value);
  if (!isWhole(value) && version !== undefined)
    return {
      kind: "problem",
      what: `is of version ${version}, which a later Strata has written; update this one`,
    };
  if (!isWhole(value)) return { kind: "problem", what: "cannot be read, and what it said is lost" };
  const fault = findFault(value, prefix);
  return fault === undefined
    ? { kind: "line", line: value }
    : { kind: "problem", what: `is no change of a memory, and nothing of it is done: ${fault}` };
}

/** ISO date-time in UTC, as lines have it. */
export function isTime(value: unknown): value is string {
  return string(value) && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value) && !Number.isNaN(Date.parse(value));
}

const isWhole = object<LedgerLine>({
  v: isVersion,
  at: isTime,
  by: oneOf(["strata", "person"]),
  ...each(string, "id", "instance", "key", "path", "operation"),
  ...each(either(string, oneOf([null])), "before", "after"),
  ...each(optional(string), "from", "contents", "run", "undoes"),
});

/** Why a line with these paths is none: they lead elsewhere, or are not of the memory that it is about. */
function findFault({ from, key, path }: LedgerLine, prefix: string): string | undefined {
  const fault = findPathFault(path) ?? (from === undefined ? undefined : findPathFault(from));
  const parts = parsePath(path);
  if (fault !== undefined || !parts) return fault;
  if (key !== `${prefix}${parts.type}/${parts.name}`)
    return `${quotePath(path)} is not the file of ${quotePath(key)}`;
  const other = formatPath({ ...parts, isArchived: !parts.isArchived });
  if (from === undefined || from === other) return undefined;
  return `${quotePath(from)} cannot move to ${quotePath(path)}: a memory moves between its folder and the archive`;
}

/**
 * The files that these lines give, by path. Lines come in the order of their files; of each memory the line is taken
 * next that fits what stands there, so that the lines of two people who worked at a time find their order.
 */
export function replayLedger(lines: readonly LedgerLine[]): Map<string, string> {
  const files = new Map<string, string>();
  const hashes = new Map<string, string>();
  for (const [, own] of groupByKey(sortByTime(lines))) {
    const left = [...own];
    while (left.length > 0) {
      const fitting = left.findIndex(
        ({ path, from, before }) => (hashes.get(from ?? path) ?? null) === before,
      );
      const [line] = left.splice(Math.max(0, fitting), 1);
      if (line) apply(line);
    }
  }
  return files;

  function apply({ path, from, after, contents }: LedgerLine): void {
    const text = contents ?? files.get(from ?? path);
    if (from !== undefined) {
      files.delete(from);
      hashes.delete(from);
    }
    if (after === null || text === undefined) {
      files.delete(path);
      hashes.delete(path);
    } else {
      files.set(path, text);
      hashes.set(path, after);
    }
  }
}

/** The first one first; those of one time stay as they came. */
export function sortByTime(lines: readonly LedgerLine[]): LedgerLine[] {
  return [...lines].sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
}

/** By the memories that they are about. */
export function groupByKey(lines: readonly LedgerLine[]): Map<string, LedgerLine[]> {
  const groups = new Map<string, LedgerLine[]>();
  for (const line of lines) {
    const group = groups.get(line.key);
    if (group) group.push(line);
    else groups.set(line.key, [line]);
  }
  return groups;
}
