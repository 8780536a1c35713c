/**
 * Undoes a run of changes. Nothing is ever deleted: a new memory goes to the archive, a moved one comes back, a changed
 * one gets its old bytes. Memories changed since then stay as they are.
 */
import { StrataError } from "../../base/error.js";
import { hashOf } from "../../base/hash.js";
import { formatPath, parsePath } from "../path.js";
import type { Collection } from "./collection.js";
import { type Cause, groupByKey, type LedgerLine, PUBLISH, sortByTime } from "./ledger.js";
import type { Looked } from "./scan.js";
import type { Memories, Undone } from "./store.js";
import type { Transaction, TransactionStep } from "./transaction.js";

type Left = { id: string; why: string };
type Reverted = { ids: string[]; left: Left[] };

export function createUndo(
  collections: readonly Collection[],
  onWritten: (collection: Collection, ids: readonly string[]) => void,
): Memories["undo"] {
  return async (cause, wanted, since) => {
    const ledgers = await Promise.all(
      collections.map(async (collection) => {
        await collection.scan();
        return collection.readLedger();
      }),
    );
    const found = findUndoable(ledgers, wanted, since);
    if (typeof found === "string") return { kind: "nothing", why: found };
    const undone: Undone = { kind: "undone", ...found, ids: [], left: [] };
    // One folder may have failed where another succeeded.
    const within = collections.filter((_, n) => isUndoable(ledgers[n] ?? [], found.run));
    for (const collection of within) {
      const { ids, left } = await collection.change((transaction) =>
        undoIn(collection, transaction, { run: found.run, cause: { ...cause, undoes: found.run } }),
      );
      onWritten(collection, ids);
      undone.ids = [...undone.ids, ...ids];
      undone.left = [...undone.left, ...left];
    }
    return undone;
  };
}

async function undoIn(
  collection: Collection,
  transaction: Transaction,
  { cause, run }: { cause: Cause; run: string },
): Promise<Reverted> {
  const lines = await collection.readLedger();
  // Another process may have undone it meanwhile.
  if (!isUndoable(lines, run)) return { ids: [], left: [] };
  const own = lines.filter((line) => runOf(line) === run);
  return revert(transaction, planUndo(lines, own), cause);
}

const runOf = ({ id, run }: LedgerLine): string => run ?? id;

/** True if this ledger has a change of this run that is not undone. */
function isUndoable(lines: readonly LedgerLine[], run: string): boolean {
  return findNotUndone(lines).some((line) => runOf(line) === run);
}

/** Lines of Strata's changes that are not undone. What git was to see stays seen. */
function findNotUndone(lines: readonly LedgerLine[]): LedgerLine[] {
  const undone = new Set(lines.flatMap(({ undoes }) => (undoes === undefined ? [] : [undoes])));
  return lines.filter(
    (line) =>
      line.by === "strata" &&
      line.operation !== PUBLISH &&
      line.undoes === undefined &&
      !undone.has(runOf(line)),
  );
}

/** The last run that is not undone, since then if given, or the wanted one; a sentence if there is none. */
function findUndoable(
  ledgers: readonly (readonly LedgerLine[])[],
  wanted?: string,
  since = "",
): { run: string; operation: string; at: string } | string {
  const own = ledgers.flatMap(findNotUndone).filter((line) => wanted === undefined || runOf(line) === wanted);
  const last = sortByTime(own).at(-1);
  if (last && last.at >= since) return { run: runOf(last), operation: last.operation, at: last.at };
  if (wanted === undefined) return "there is nothing to undo";
  const isUndone = ledgers.flat().some(({ undoes }) => undoes === wanted);
  if (isUndone) return `${wanted} was undone already`;
  return ledgers.flat().some((line) => runOf(line) === wanted)
    ? `${wanted} published a memory, which is not undone; archive it, or move its file to private/`
    : `no change is named ${wanted}`;
}

/** A memory's state after the run, and the state to restore. */
interface Restoration {
  id: string;
  /** Absent if its file was removed. */
  is?: { path: string; hash: string };
  /** Absent if the undone run created the memory. */
  was?: { path: string; contents: string };
  /** Why it cannot be undone. */
  why?: string;
}

/** The states to restore when undoing `own`, a subset of all lines of a ledger. Pure. */
function planUndo(all: readonly LedgerLine[], own: readonly LedgerLine[]): Restoration[] {
  const taken = new Set(own);
  const history = groupByKey(sortByTime(all));
  return [...groupByKey(own).keys()].flatMap((id): Restoration[] => {
    const lines = history.get(id) ?? [];
    const first = lines.find((line) => taken.has(line));
    const last = lines.findLast((line) => taken.has(line));
    if (!first || !last) return [];
    const is = last.after === null ? {} : { is: { path: last.path, hash: last.after } };
    if (first.before === null) return [{ id, ...is }];
    // The line of a move does not repeat the contents.
    const of = lines.find(({ after, contents }) => after === first.before && contents !== undefined);
    return of?.contents === undefined
      ? [{ id, ...is, why: "the ledger does not have its earlier contents" }]
      : [{ id, ...is, was: { path: first.from ?? first.path, contents: of.contents } }];
  });
}

const CHANGED = "it has been changed since";

async function revert(
  transaction: Transaction,
  restorations: readonly Restoration[],
  cause: Cause,
): Promise<Reverted> {
  const steps: TransactionStep[] = [];
  const ids: string[] = [];
  const left: Left[] = [];
  for (const one of restorations) {
    const planned = await planSteps(transaction, one, cause);
    if (typeof planned === "string") {
      left.push({ id: one.id, why: planned });
      steps.push(...(await planSkipped(transaction, one, cause)));
    } else {
      steps.push(...planned);
      ids.push(one.id);
    }
  }
  await transaction.changeAll(steps);
  return { ids, left };
}

/** A line without change: it marks the memory as handled, so that the next undo goes further back. */
async function planSkipped(
  transaction: Transaction,
  { is, was }: Restoration,
  cause: Cause,
): Promise<TransactionStep[]> {
  const path = is?.path ?? was?.path;
  if (path === undefined) return [];
  const looked = await transaction.open(path);
  return looked?.hash === undefined && looked ? [] : [{ path, before: looked?.hash ?? null, cause }];
}

/** The steps, or why the memory stays as it is. */
async function planSteps(
  transaction: Transaction,
  { is, was, why }: Restoration,
  cause: Cause,
): Promise<readonly TransactionStep[] | string> {
  if (why !== undefined) return why;
  const isInTheWay = async (path: string): Promise<boolean> => (await transaction.open(path)) !== undefined;
  if (!is) {
    if (!was) return [];
    if (await isInTheWay(was.path)) return `${was.path} is in the way`;
    return [{ path: was.path, before: null, contents: was.contents, cause }];
  }
  const there = requireRead(is.path, await transaction.open(is.path));
  if (there?.hash !== is.hash) return CHANGED;
  const target = was?.path ?? archivedOf(is.path);
  const isMoved = target !== is.path;
  if (isMoved && (await isInTheWay(target))) return `${target} is in the way`;
  const move = isMoved ? [{ path: target, from: is.path, before: is.hash, cause }] : [];
  if (!was || hashOf(was.contents) === is.hash) return move;
  return [...move, { path: target, before: is.hash, contents: was.contents, cause }];
}

/** Throws if there is a file that cannot be read now: its contents decide what can be undone. */
function requireRead(path: string, there: Looked | undefined): Looked | undefined {
  if (there?.reading.kind === "problem" && there.reading.isUnread)
    throw new StrataError("ENOTWRITTEN", `${path} was not restored: ${there.reading.what}`);
  return there;
}

function archivedOf(path: string): string {
  const parts = parsePath(path);
  return parts ? formatPath({ ...parts, isArchived: true }) : path;
}
