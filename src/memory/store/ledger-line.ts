/**
 * A ledger line: one change of one memory. It holds the whole file after the change, so the ledger alone restores every
 * file at any time, and undoing a change means restoring the line before it.
 */
import { groupBy } from "../../base/group.js";
import { hashOf } from "../../base/hash.js";
import { each, either, isVersion, object, oneOf, optional, string } from "../../base/shape.js";
import { findPathFault, formatPath, parsePath, quotePath } from "../path.js";

/** The reason for a change, for the ledger. */
export interface Cause {
  operation: string;
  session?: string;
  reason?: string;
  /** Shared by changes made together. */
  run?: string;
  /** Id of the run or ledger line that this change undoes. */
  undoes?: string;
  /** When the user said it, if not now: dates the memory, not the ledger line. */
  saidMs?: number;
  /** Did the contents come with the repository? Then they are not the user's until accepted. Not in the ledger. */
  isForeign?: true;
}

/** The operation that lets git see a memory; its undo is its own. */
export const PUBLISH = "publish";

export interface LedgerLine extends Omit<Cause, "saidMs" | "isForeign"> {
  v: 1;
  id: string;
  /** ISO date-time, strictly increasing per file even if the clock is set back. */
  at: string;
  instance: string;
  /** `person`: a detected change by an editor or git. */
  by: "strata" | "person";
  /** The memory's id. */
  key: string;
  /** Path of its file, relative to the ledger's collection. */
  path: string;
  /** Previous path of a moved file. */
  from?: string;
  /** Hash of the file before; `null` if there was none. */
  before: string | null;
  after: string | null;
  /** The file after the change; absent if it was removed or its contents are unchanged. */
  contents?: string;
}

/** One step on a file: write it, move it to a free path, or remove it. */
export interface FileStep {
  path: string;
  /** Path the file is moved from. */
  from?: string;
  /** Hash of the file before; `null` if there is none. */
  before: string | null;
  /** The new contents; absent for a move, `null` if it is removed. */
  contents?: string | null;
}

/** What a line says of a step. */
export function describeStep({ before, contents, from, path }: FileStep) {
  return {
    path,
    before,
    after: typeof contents === "string" ? hashOf(contents) : contents === null ? null : before,
    ...(from !== undefined && { from }),
    ...(typeof contents === "string" && { contents }),
  };
}

/** The result of reading one line. `what` continues a sentence that begins with "line 3". */
export type LineReading = { kind: "line"; line: LedgerLine } | { kind: "problem"; what: string };

/** Reads a line of the ledger whose memories' ids have this prefix. `value` is `undefined` for invalid JSON. */
export function readLedgerLine(value: unknown, prefix: string): LineReading {
  if (!isWhole(value)) return { kind: "problem", what: "cannot be read; its change is lost" };
  const fault = findFault(value, prefix);
  return fault === undefined
    ? { kind: "line", line: value }
    : { kind: "problem", what: `is not a change of a memory and was not applied: ${fault}` };
}

/** ISO date-time in UTC, as ledger lines hold it. */
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

/** Why a line with these paths is invalid: they lead elsewhere, or belong to another memory. */
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
 * The file contents that these lines produce, by path. A line is later than the one that it builds on, so lines are
 * ordered by time, and of two simultaneous changes the later one counts. Of lines with the same time, the one whose
 * `before` matches the file comes first. If two machines have made the same move, the second one finds no file to move.
 */
export function replayLedger(lines: readonly LedgerLine[]): Map<string, string> {
  const files = new Map<string, string>();
  const hashes = new Map<string, string>();
  for (const [, own] of groupByKey(sortByTime(lines))) {
    const left = [...own];
    const texts = new Map(
      own.flatMap(({ after, contents }) => (contents === undefined ? [] : [[after, contents] as const])),
    );
    while (left.length > 0) {
      const fitting = left.findIndex(
        ({ at, path, from, before }) => at === left[0]?.at && (hashes.get(from ?? path) ?? null) === before,
      );
      const [line] = left.splice(Math.max(0, fitting), 1);
      if (line) apply(line, texts);
    }
  }
  return files;

  function apply(
    { path, from, after, contents }: LedgerLine,
    texts: ReadonlyMap<LedgerLine["after"], string>,
  ): void {
    const text = contents ?? texts.get(after) ?? files.get(from ?? path);
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

/** Oldest first; the sort is stable. */
export function sortByTime(lines: readonly LedgerLine[]): LedgerLine[] {
  return [...lines].sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
}

/** Lines by the id of their memory. */
export const groupByKey = (lines: readonly LedgerLine[]): Map<string, LedgerLine[]> =>
  groupBy(lines, ({ key }) => key);
