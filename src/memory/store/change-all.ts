/** Makes planned changes together: all in one step, or none. */
import { dirname } from "node:path";
import { formatError, StrataError } from "../../base/error.js";
import { hashOf } from "../../base/hash.js";
import { findMove, findRefusal, type MemoryGate, withoutHints } from "../draft.js";
import { type Memory, type Place, parseID } from "../memory.js";
import { findPathFault, formatPath } from "../path.js";
import type { Collection } from "./collection.js";
import type { Looked } from "./entries.js";
import type { IndexPlace } from "./index-writer.js";
import type { KeepOut } from "./keep-out.js";
import type { Cause } from "./ledger-line.js";
import type { TransactionStep } from "./line-writer.js";
import type { CollectionPlace } from "./places.js";
import type { AllChanged, Memories, PlannedChange } from "./store.js";
import type { Transaction } from "./transaction.js";

export interface ChangeAllOptions {
  standings: readonly Standing[];
  gate?: MemoryGate;
  onWritten(standing: Standing, ids: readonly string[]): void;
}

type Steps = { steps: readonly TransactionStep[] } | { why: string };

/** The planned steps in one folder. */
interface Part {
  standing: Standing;
  transaction: Transaction;
  steps: readonly TransactionStep[];
  ids: readonly string[];
}

export function createChangeAll({ standings, gate, onWritten }: ChangeAllOptions): Memories["changeAll"] {
  return (planned, cause) => {
    const parts = standings.map((standing) => ({
      standing,
      own: planned.filter(({ before }) => findStanding(standings, before) === standing),
    }));
    return lockAll(
      parts.filter(({ own }) => own.length > 0),
      [],
      cause,
    );
  };

  /** Locks all folders in a fixed order and checks each before the first is changed. */
  async function lockAll(
    [first, ...others]: readonly { standing: Standing; own: readonly PlannedChange[] }[],
    ready: readonly Part[],
    cause: Cause,
  ): Promise<AllChanged> {
    if (!first) return write(ready);
    const { own, standing } = first;
    return standing.collection.change(async (transaction) => {
      const rewrites: TransactionStep[] = [];
      const moves: TransactionStep[] = [];
      const ids: string[] = [];
      // Once for all, because nothing is written before the last plan.
      const keptOut = listKeptOut(standings);
      for (let from = 0; from < own.length; from += OPENED_AT_A_TIME) {
        const some = own.slice(from, from + OPENED_AT_A_TIME);
        const places = some.flatMap(({ before }) => parseID(before.id) ?? []);
        const openings = await openMany(transaction, places.flatMap(pathsOf));
        for (const change of some) {
          const planned = await planSteps(openings, change, { all: cause, gate, keptOut });
          if ("why" in planned) return { kind: "refused", why: planned.why };
          rewrites.push(...planned.steps.filter(({ from }) => from === undefined));
          moves.push(...planned.steps.filter(({ from }) => from !== undefined));
          if (planned.steps.length > 0) ids.push(change.before.id);
        }
      }
      const steps = [...rewrites, ...moves];
      return lockAll(others, [...ready, { standing, transaction, steps, ids }], cause);
    });
  }

  async function write(parts: readonly Part[]): Promise<AllChanged> {
    const done: string[] = [];
    for (const { transaction, ids, standing, steps } of parts) {
      try {
        await transaction.changeAll(steps);
      } catch (thrown) {
        if (done.length === 0) throw thrown;
        throw new StrataError(
          "EUNFINISHED",
          `${done.length} memories were changed, those in ${standing.place.folder} were not (${formatError(thrown)}); strata undo reverts them`,
        );
      }
      onWritten(standing, ids);
      done.push(...ids);
    }
    return { kind: "written", ids: done };
  }
}

/** The steps of one change, or why it is impossible. */
async function planSteps(
  openings: Openings,
  { before, after, reason }: PlannedChange,
  { all, gate, keptOut }: { all: Cause; gate: MemoryGate | undefined; keptOut: ReadonlySet<string> },
): Promise<Steps> {
  const { formatMemoryFile, parseMemoryFile } = await import("../memory-file.js");
  const place = parseID(before.id);
  const found = place && (await findFile(openings, place, before));
  if (!found) return { why: `${before.id} has changed since` };
  const { looked, path } = found;
  const fault = findPathFault(path);
  if (fault !== undefined) return { why: fault };
  const isMoved = before.status !== "archived" && after.status === "archived";
  const inPlace = withoutHints(isMoved ? { ...after, status: before.status } : after, keptOut);
  const why = findMove(before, inPlace) ?? findRefusal(inPlace, keptOut) ?? (await gate?.(inPlace));
  if (why !== undefined) return { why };
  // A file that only moves keeps its bytes, whatever its formatting.
  const isSame = JSON.stringify(inPlace) === JSON.stringify(before);
  const contents = (isSame ? looked.text : undefined) ?? formatMemoryFile(inPlace, looked.text);
  const own = { ...place, isArchived: before.status === "archived", modifiedMs: looked.modifiedMs };
  const reading = contents === looked.text ? looked.reading : parseMemoryFile(Buffer.from(contents), own);
  if (reading.kind === "problem") return { why: `${before.id}: ${reading.what}` };
  const cause = reason === undefined ? all : { ...all, reason };
  const steps: TransactionStep[] = [];
  if (contents !== looked.text) steps.push({ path, before: looked.hash ?? null, contents, cause });
  if (!isMoved) return { steps };
  const [, archived] = pathsOf(place);
  if (openings.get(archived) || (await openings.findFolderLink(archived)))
    return { why: `${archived} is in the way; rename or remove it` };
  return { steps: [...steps, { path: archived, from: path, before: hashOf(contents), cause }] };
}

/** The file of this memory, if it is unchanged. */
async function findFile(
  openings: Openings,
  place: Place,
  before: Memory,
): Promise<{ looked: Looked; path: string } | undefined> {
  for (const path of pathsOf(place)) {
    const looked = openings.get(path);
    if (looked?.reading.kind !== "memory" || (await openings.findFolderLink(path))) continue;
    return JSON.stringify(looked.reading.memory) === JSON.stringify(before) ? { looked, path } : undefined;
  }
  return undefined;
}

/** A collection with its place and index. */
export interface Standing {
  place: CollectionPlace;
  collection: Collection;
  index: IndexPlace;
  /** Only where some types stay out of git. */
  keepOut?: KeepOut;
}

/** True if it is the collection of this place. */
export function isOn({ place }: Standing, one: Pick<CollectionPlace, "scope" | "sensitivity">): boolean {
  return place.scope === one.scope && place.sensitivity === one.sensitivity;
}

/** The collection of this place. */
export function findStanding(
  standings: readonly Standing[],
  place: Pick<CollectionPlace, "scope" | "sensitivity">,
): Standing {
  const standing = standings.find((one) => isOn(one, place));
  if (!standing) throw new TypeError(`no folder for ${place.scope} ${place.sensitivity}`);
  return standing;
}

/** Ids of the memories that git ignores although they are not in `private/`. */
export function listKeptOut(standings: readonly Standing[]): ReadonlySet<string> {
  const memories = standings.flatMap(({ keepOut, collection }) => (keepOut ? collection.memories() : []));
  return new Set(memories.filter(({ isKeptOut }) => isKeptOut).map(({ id }) => id));
}

/** The two possible paths of a memory's file, relative to its collection: in use, and archived. */
export function pathsOf(place: Pick<Place, "type" | "name">): [string, string] {
  return [formatPath({ ...place, isArchived: false }), formatPath({ ...place, isArchived: true })];
}

/* Reads for the plan of a change to many files: several files at a time, and each folder once for links. */

export interface Openings {
  /** The opened file at one of the given paths; `undefined` if none exists. */
  get(path: string): Looked | undefined;
  /** The link on the way to the folder of this path, if any. */
  findFolderLink(path: string): Promise<string | undefined>;
}

/** Number of memories opened at a time; limits the text held in memory. */
export const OPENED_AT_A_TIME = 250;

export async function openMany(
  transaction: Pick<Transaction, "findLink" | "openAll">,
  paths: readonly string[],
): Promise<Openings> {
  const all = [...new Set(paths)];
  const looked = await transaction.openAll(all);
  const opened = new Map(all.map((path, n) => [path, looked[n]]));
  const links = new Map<string, Promise<string | undefined>>();
  return {
    get: (path) => opened.get(path),
    findFolderLink(path) {
      const folder = dirname(path);
      const found = links.get(folder) ?? transaction.findLink(folder);
      links.set(folder, found);
      return found;
    },
  };
}
