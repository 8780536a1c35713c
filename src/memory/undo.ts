/**
 * Takes back what was done. Nothing is ever deleted: a memory that was made goes to the archive, one that was moved
 * comes back, one that was changed has the bytes it had. What somebody has changed since stays as it is.
 */
import { ARCHIVE } from "./entries.js";
import { hashOf, type LedgerLine } from "./ledger-line.js";
import type { DeskStep } from "./line-writer.js";
import type { Desk } from "./shelf.js";
import type { Standing } from "./standing.js";
import type { Cause, Memories, Undone } from "./store.js";

export interface UndoOptions {
  standings: readonly Standing[];
  onWritten(standing: Standing, ids: readonly string[]): void;
}

type Left = { id: string; why: string };

export function createUndo({ standings, onWritten }: UndoOptions): Memories["undo"] {
  return async (cause, wanted) => {
    const ledgers = await Promise.all(
      standings.map(async (standing) => {
        await standing.shelf.scan();
        return { standing, lines: await standing.shelf.readLedger() };
      }),
    );
    const run = findUndoable(
      ledgers.flatMap(({ lines }) => lines),
      wanted,
    );
    if (typeof run !== "object") return { kind: "nothing", why: run };
    const undone: Undone = { kind: "undone", ...run, ids: [], left: [] };
    for (const { standing, lines } of ledgers) {
      const own = lines.filter((line) => runOf(line) === run.run);
      if (own.length === 0) continue;
      const { ids, left } = await standing.shelf.change((desk) =>
        takeBack(desk, planUndo(lines, own), { ...cause, undoes: run.run }),
      );
      onWritten(standing, ids);
      undone.ids = [...undone.ids, ...ids];
      undone.left = [...undone.left, ...left];
    }
    return undone;
  };
}

const runOf = ({ id, run }: LedgerLine): string => run ?? id;

/** What was done last and not taken back, or this run; a sentence where there is nothing. Pure. */
export function findUndoable(
  lines: readonly LedgerLine[],
  wanted?: string,
): { run: string; operation: string; at: string } | string {
  const undone = new Set(lines.flatMap(({ undoes }) => (undoes === undefined ? [] : [undoes])));
  if (wanted !== undefined && undone.has(wanted)) return `${wanted} was taken back already`;
  const own = lines.filter(
    (line) =>
      line.by === "strata" &&
      line.undoes === undefined &&
      !undone.has(runOf(line)) &&
      (wanted === undefined || runOf(line) === wanted),
  );
  const last = own.reduce<LedgerLine | undefined>(
    (latest, line) => (latest === undefined || line.at >= latest.at ? line : latest),
    undefined,
  );
  if (last) return { run: runOf(last), operation: last.operation, at: last.at };
  return wanted === undefined ? "nothing was done that could be taken back" : `no change is named ${wanted}`;
}

/** How a memory is now, if nobody has changed it since, and how it is to be again. */
interface Return {
  id: string;
  /** Absent where its file was removed. */
  is?: { path: string; hash: string };
  /** Absent where the memory was made by what is taken back. */
  was?: { path: string; contents: string };
}

/** What taking back `own`, which are among all the lines of a ledger, comes to. Pure. */
export function planUndo(all: readonly LedgerLine[], own: readonly LedgerLine[]): Return[] {
  const ids = new Set(own.map(({ key }) => key));
  return [...ids].flatMap((id): Return[] => {
    const lines = all
      .filter(({ key }) => key === id)
      .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
    const first = lines.find((line) => own.includes(line));
    const last = lines.findLast((line) => own.includes(line));
    if (!first || !last) return [];
    const is = last.after === null ? {} : { is: { path: last.path, hash: last.after } };
    if (first.before === null) return [{ id, ...is }];
    const contents = findContents(lines, first.before);
    return contents === undefined ? [] : [{ id, ...is, was: { path: first.from ?? first.path, contents } }];
  });
}

/** The line of a move does not repeat them. */
function findContents(lines: readonly LedgerLine[], hash: string): string | undefined {
  return lines.find(({ after, contents }) => after === hash && contents !== undefined)?.contents;
}

async function takeBack(
  desk: Desk,
  returns: readonly Return[],
  cause: Cause,
): Promise<{ ids: string[]; left: Left[] }> {
  const steps: DeskStep[] = [];
  const ids: string[] = [];
  const left: Left[] = [];
  for (const one of returns) {
    const planned = await planSteps(desk, one, cause);
    if (typeof planned === "string") left.push({ id: one.id, why: planned });
    else {
      steps.push(...planned);
      ids.push(one.id);
    }
  }
  await desk.swap(steps);
  return { ids, left };
}

/** The steps, or why it stays as it is. */
async function planSteps(
  desk: Desk,
  { is, was }: Return,
  cause: Cause,
): Promise<readonly DeskStep[] | string> {
  const isInTheWay = async (path: string): Promise<boolean> =>
    (await desk.open(path)) !== undefined || (await desk.findLink(path)) !== undefined;
  if (!is) {
    if (!was) return [];
    if (await isInTheWay(was.path)) return `${was.path} is in the way`;
    return [{ path: was.path, before: null, contents: was.contents, cause }];
  }
  if ((await desk.open(is.path))?.hash !== is.hash) return "it has been changed since";
  const target = was?.path ?? (is.path.startsWith(`${ARCHIVE}/`) ? is.path : `${ARCHIVE}/${is.path}`);
  const isMoved = target !== is.path;
  if (isMoved && (await isInTheWay(target))) return `${target} is in the way`;
  const move = isMoved ? [{ path: target, from: is.path, before: is.hash, cause }] : [];
  if (!was || hashOf(was.contents) === is.hash) return move;
  return [...move, { path: target, before: is.hash, contents: was.contents, cause }];
}
