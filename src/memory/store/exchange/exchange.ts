/** The store's side of a sync: returns the lines that may be shared, and applies those of other machines. */
import { dirname, join } from "node:path";
import { hashOf } from "../../../base/hash.js";
import type { Clock } from "../../../io/clock.js";
import type { Files } from "../../../io/files.js";
import { listFingerprints } from "../../conflict.js";
import { isHidden } from "../../kept-out.js";
import { formatPrefix, parseID } from "../../memory.js";
import { formatMemoryFile, parseMemoryFile } from "../../memory-file.js";
import { foldName, formatLedgerFile, parsePath } from "../../path.js";
import type { Trust } from "../../trust/trust.js";
import { findStanding, listKeptOut, pathsOf, type Standing } from "../change-all.js";
import type { Collection } from "../collection.js";
import { createConflictLog } from "../conflict-log.js";
import { groupByKey, type LedgerLine } from "../ledger-line.js";
import type { Version } from "../merge-versions.js";
import {
  cutInSteps,
  groupShared,
  isLater,
  planReceipt,
  planSteps,
  type Receipt,
  readSharedLedger,
  type SharedLine,
  type State,
  SYNC,
} from "../receipt.js";
import type { Exchange, Shared, Taken, TakeOptions } from "../store.js";
import type { ReceivedChanges, Transaction } from "../transaction.js";

export interface ExchangeOptions {
  clock: Clock;
  files: Files;
  /** `.opencode/memory` of the project, for conflict records. */
  folder: string;
  standings: readonly Standing[];
  trust: Trust | undefined;
  onWritten(standing: Standing, ids: readonly string[]): void;
}

export function createExchange(options: ExchangeOptions): Exchange {
  const { files, standings, trust } = options;
  const receiving = createReceiving(options);

  return {
    async read(scope) {
      await Promise.all(standings.map(({ collection }) => collection.scan()));
      const { collection } = findStanding(standings, { scope, sensitivity: "internal" });
      const prefix = formatPrefix({ scope, sensitivity: "internal" });
      // Under the lock, since hiding a memory from git moves its lines between two ledgers.
      const lines = await collection.change(() => readSharedLedger(files, collection.folder, prefix));
      const hidden = standings.flatMap((one) => one.collection.memories()).filter(isHidden);
      const paths = new Set(collection.entries().map(({ path }) => path));
      return {
        lines,
        hidden: new Set(hidden.flatMap(listFingerprints)),
        keptOut: listKeptOut(standings),
        isKeptOut: (path) => collection.isKeptOut(path),
        isThere: (path) => paths.has(path),
        isOwn: ({ after, path }) =>
          after === null || !trust || trust.isOwn({ name: `${prefix}${path}`, hash: after }),
      } satisfies Shared;
    },

    async take(scope, lines, given) {
      const standing = findStanding(standings, { scope, sensitivity: "internal" });
      await Promise.all(standings.map(({ collection }) => collection.scan()));
      const taken: Taken = { ids: [], conflicts: [], deferred: [] };
      const parts = {
        readLocal: createLocalLines(standing.collection),
        openState: createOpenState(standing),
      };
      for (const some of cutInSteps(lines)) {
        const batch = { ...parts, lines: some, given };
        const { conflicts, deferred, ids } = await receiving.receive(standing, batch);
        taken.ids.push(...ids);
        taken.conflicts.push(...conflicts);
        taken.deferred.push(...deferred);
      }
      return taken;
    },
  };
}

/** Lines that are applied together. */
interface Batch {
  lines: readonly SharedLine[];
  given: TakeOptions;
  openState: OpenState;
  readLocal: ReadLocal;
}

/** The plan for one memory. */
interface Planned {
  key: string;
  lines: SharedLine[];
  receipt: Receipt;
  /** Path in the last received line. */
  path: string;
}

function createReceiving(options: ExchangeOptions) {
  const { clock, files, folder, onWritten, trust } = options;
  const conflicts = createConflictLog({ clock, files, folder, ...(trust && { trust }) });

  return {
    async receive(standing: Standing, batch: Batch): Promise<Taken> {
      const taken: Taken = { ids: [], conflicts: [], deferred: [] };
      const { given } = batch;
      await standing.collection.change(async (transaction) => {
        const planned = await plan(transaction, standing, batch);
        const changes: Mutable = { lines: {}, steps: [], merges: [], claims: [] };
        for (const one of planned) {
          const { key, receipt } = one;
          if (receipt.kind === "deferred") {
            taken.deferred.push({ id: key, why: receipt.why });
            continue;
          }
          addLines(transaction, changes, one.lines, given);
          addMerge(changes, one, given);
          const path = await recordRival(receipt, one);
          if (path !== undefined) taken.conflicts.push(path);
          if (receipt.steps.length > 0 || receipt.merged) taken.ids.push(key);
        }
        if (Object.keys(changes.lines).length > 0) await transaction.receive(changes);
      });
      onWritten(standing, taken.ids);
      return taken;
    },
  };

  /** Called before the change: if the change then fails, the record counts as settled. */
  async function recordRival(receipt: Receipt, { key }: Planned): Promise<string | undefined> {
    if (receipt.kind !== "planned" || !receipt.rival) return undefined;
    const state = receipt.merged ? receipt.merged.state : receipt.newest;
    const standing = state && parse(state, key, clock.now())?.memory;
    if (!standing) return undefined;
    const { content, provenance, title } = receipt.rival;
    // The record of a global memory's conflict must not be committed in this project.
    const hidden = standing.scope === "global" && { sensitivity: "private" as const };
    return conflicts.add(standing, { content, title, ...hidden, by: provenance.session });
  }

  async function plan(
    transaction: Transaction,
    standing: Standing,
    { given, lines, openState, readLocal }: Batch,
  ): Promise<Planned[]> {
    const received = groupShared(lines);
    const states = new Map<string, State | { why: string } | undefined>();
    for (const key of received.keys()) states.set(key, await openState(transaction, key));
    const own = await readLocal(transaction, [...received.keys()]);
    const nowMs = clock.now();
    return [...received].map(([key, all]) => {
      const local = own.get(key) ?? [];
      const known = new Set(local.map(({ id }) => id));
      const fresh = sortLines(all.filter(({ line }) => !known.has(line.id)));
      const there = states.get(key);
      const path = fresh.at(-1)?.line.path ?? "";
      const isHiddenHere =
        placesOf(key).some((one) => standing.collection.isKeptOut(one)) &&
        (there !== undefined || local.length > 0);
      if (fresh.length === 0) return { key, lines: [], path, receipt: NOTHING };
      if (there && "why" in there)
        return { key, lines: fresh, path, receipt: { kind: "deferred", ...there } };
      if (isHiddenHere) return { key, lines: fresh, path, receipt: { kind: "deferred", why: HIDDEN_HERE } };
      const receipt = planReceipt({
        local,
        received: fresh.map(({ line }) => line),
        isShared: given.isShared,
        there,
        parse: (state) => parse(state, key, nowMs),
        format: ({ memory }, over) => formatMemoryFile(memory, over),
      });
      return { key, lines: fresh, path, receipt };
    });
  }
}

const NOTHING: Receipt = { kind: "planned", steps: [], newest: undefined };

const HIDDEN_HERE =
  "git ignores your own memory of this name, so it is not merged with the one on the remote; publish yours, or give its file another name";

type Mutable = {
  lines: Record<string, string[]>;
  steps: LedgerLine[];
  merges: ReceivedChanges["merges"][number][];
  claims: ReceivedChanges["claims"][number][];
};

/** A file without a modification time counts as written now. */
function parse({ path, text }: State, key: string, modifiedMs: number): Version {
  const place = parseID(key);
  const parts = parsePath(path);
  if (!place || !parts) return undefined;
  const { isArchived } = parts;
  const reading = parseMemoryFile(Buffer.from(text), { ...place, isArchived, modifiedMs });
  return reading.kind === "memory" ? { memory: reading.memory, isArchived } : undefined;
}

const sortLines = (lines: readonly SharedLine[]): SharedLine[] =>
  [...lines].sort(({ line: a }, { line: b }) => (isLater(a, b) ? 1 : -1));

function addLines(
  transaction: Transaction,
  changes: Mutable,
  lines: readonly SharedLine[],
  { isForeign }: TakeOptions,
): void {
  for (const { file, line, text } of lines) {
    const name = findPlace(transaction, file, line);
    const group = changes.lines[name] ?? [];
    changes.lines[name] = group;
    group.push(text);
    if (line.after !== null) changes.claims.push({ path: line.path, hash: line.after, isForeign });
  }
}

/**
 * The ledger file for a line: that of the machine that wrote it. Within a file the last line about a path counts, so a
 * late line goes to a separate file.
 */
function findPlace(transaction: Transaction, file: string, { at, from, path }: LedgerLine): string {
  const isLate = [path, from ?? path].some((one) => {
    const known = transaction.known(one);
    return known?.file === file && known.at >= at;
  });
  return isLate ? formatLedgerFile(at, "unnamed") : file;
}

function addMerge(changes: Mutable, { path, receipt }: Planned, { isForeign }: TakeOptions): void {
  if (receipt.kind !== "planned") return;
  changes.steps.push(...receipt.steps);
  const { newest, stale } = receipt;
  const cause = { operation: SYNC, reason: "merges changes from two machines" };
  if (stale) {
    const step = { path: stale.path, before: stale.hash, isRemoved: true as const, cause };
    changes.merges.push({ step, lastAt: stale.lastAt });
  }
  // The newest line about a memory defines its state.
  const merged = receipt.merged ?? (stale && { state: newest, lastAt: stale.lastAt });
  if (!merged) return;
  const { lastAt, state } = merged;
  const like = { path, at: lastAt } as LedgerLine;
  const lines = planSteps(like, newest, state);
  // Records that both sides are merged, even if the newest state stays.
  if (lines.length === 0) {
    const hash = state ? hashOf(state.text) : null;
    lines.push({ ...like, path: state?.path ?? path, before: hash, after: hash });
  }
  for (const { after, before, contents, from, path: to } of lines) {
    const step = {
      ...{ path: to, before, cause },
      ...(from !== undefined && { from }),
      ...(contents !== undefined && { contents }),
      ...(after === null && { isRemoved: true as const }),
    };
    changes.merges.push({ step, lastAt });
  }
  if (state) changes.claims.push({ path: state.path, hash: hashOf(state.text), isForeign });
}

/* Reads this machine's state of a memory before lines of others are applied. Call under the collection's lock. */

/** Ledger lines about these memories, by memory id. */
export type ReadLocal = (
  transaction: Pick<Transaction, "known">,
  keys: readonly string[],
) => Promise<ReadonlyMap<string, readonly LedgerLine[]>>;

/** The two possible paths of a memory's file. */
export function placesOf(key: string): string[] {
  const place = parseID(key);
  return place ? pathsOf(place) : [];
}

/** Reads the whole ledger only if it has lines about these memories, and again only after another change of them. */
export function createLocalLines(collection: Pick<Collection, "readLedger">): ReadLocal {
  let groups: ReadonlyMap<string, LedgerLine[]> | undefined;
  return async (transaction, keys) => {
    const isKnown = keys.some((key) => placesOf(key).some((path) => transaction.known(path)));
    if (!isKnown) return new Map();
    const isFresh = groups && keys.every((key) => isCurrent(transaction, key, groups?.get(key) ?? []));
    if (!groups || !isFresh) groups = groupByKey(await collection.readLedger());
    return groups;
  };
}

/** Do these lines include the newest one about each path? */
function isCurrent(
  transaction: Pick<Transaction, "known">,
  key: string,
  lines: readonly LedgerLine[],
): boolean {
  return placesOf(key).every((place) => {
    const times = lines.filter(({ from, path }) => path === place || from === place).map(({ at }) => at);
    return transaction.known(place)?.at === times.sort().at(-1);
  });
}

/** The current file of a memory, or why it is left alone. */
export type OpenState = (
  transaction: Pick<Transaction, "findLink" | "known" | "open">,
  key: string,
) => Promise<State | { why: string } | undefined>;

/**
 * Reads the disk only for memories known from the last scan or the ledger, since most of a first pull is new. A file that
 * appears meanwhile is not overwritten: new files are created exclusively.
 */
export function createOpenState({ collection }: Pick<Standing, "collection">): OpenState {
  const there = new Map(collection.entries().map(({ path }) => [foldName(path), path]));
  const links = new Map<string, Promise<string | undefined>>();

  return async (transaction, key) => {
    const places = placesOf(key);
    const rival = places
      .map((path) => [path, there.get(foldName(path)) ?? path])
      .find(([one, other]) => one !== other);
    if (rival) return { why: `${rival[1]} exists, which some disks consider the same file; rename it` };
    const isNew = places.every((path) => !there.has(foldName(path)) && !transaction.known(path));
    for (const path of places) there.set(foldName(path), path);
    if (!isNew) return openFile(transaction, collection.folder, places);
    const folders = await Promise.all(places.map((path) => findLinkOnce(transaction, dirname(path))));
    const link = folders.find((one) => one !== undefined);
    return link === undefined ? undefined : { why: `${link} is a link, and links are not followed` };
  };

  function findLinkOnce(
    transaction: Pick<Transaction, "findLink">,
    folder: string,
  ): Promise<string | undefined> {
    const found = links.get(folder) ?? transaction.findLink(folder);
    links.set(folder, found);
    return found;
  }
}

/** Reads the file, after entering a person's change to it in the ledger. */
async function openFile(
  transaction: Pick<Transaction, "findLink" | "open">,
  folder: string,
  places: readonly string[],
): Promise<State | { why: string } | undefined> {
  let found: State | undefined;
  for (const path of places) {
    const link = await transaction.findLink(path);
    if (link) return { why: `${link} is a link, and links are not followed` };
    const looked = await transaction.open(path);
    if (!looked) continue;
    if (looked.reading.kind === "problem")
      return { why: `${join(folder, path)} cannot be used: ${looked.reading.what}; repair or remove it` };
    if (found) return { why: `${found.path} and ${path} both exist; remove one of them` };
    found = { path, text: looked.text ?? "" };
  }
  return found;
}
