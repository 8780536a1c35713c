/** The store's side of a sync: returns the lines that may be shared, and applies those of other machines. */
import { join } from "node:path";
import { hashOf } from "../../base/hash.js";
import { groupBy } from "../../base/shape.js";
import type { Folders } from "../../project/folders.js";
import { formatPrefix, parseID } from "../memory.js";
import { formatMemoryFile, parseMemoryFile } from "../memory-file.js";
import { foldName, parsePath } from "../path.js";
import { type Collection, type CollectionOptions, findCollection, pathsOf } from "./collection.js";
import { createConflictLog, listFingerprints } from "./conflict-log.js";
import { describeStep, groupByKey, type LedgerLine } from "./ledger.js";
import {
  isLater,
  planReceipt,
  planSteps,
  type Receipt,
  readSharedLedger,
  type SharedLine,
  type State,
  SYNC,
  type Version,
} from "./receipt.js";
import type { Exchange, Shared, Taken, TakeOptions } from "./store.js";
import type { ReceivedChanges, Transaction } from "./transaction.js";

export interface ExchangeOptions extends Pick<CollectionOptions, "clock" | "files" | "trust"> {
  folders: Folders;
  collections: readonly Collection[];
  onWritten(collection: Collection, ids: readonly string[]): void;
}

/** Limits the size of a step, since `pending.json` holds all of its lines. */
const MEMORIES_AT_A_TIME = 250;

export function createExchange(options: ExchangeOptions): Exchange {
  const { collections, files, trust } = options;
  const scanAll = async (): Promise<void> => {
    await Promise.all(collections.map((collection) => collection.scan()));
  };

  return {
    async read(scope) {
      await scanAll();
      const collection = findCollection(collections, { scope, sensitivity: "internal" });
      const prefix = formatPrefix({ scope, sensitivity: "internal" });
      const lines = await readSharedLedger(files, collection.folder, prefix);
      const memories = collections.flatMap((one) => one.memories());
      const hidden = memories.filter(({ sensitivity }) => sensitivity === "private");
      const paths = new Set(collection.entries().map(({ path }) => path));
      return {
        lines,
        hidden: new Set(hidden.flatMap(listFingerprints)),
        isThere: (path) => paths.has(path),
        isOwn: ({ after, path }) =>
          after === null || !trust || trust.isOwn({ name: `${prefix}${path}`, hash: after }),
      } satisfies Shared;
    },

    async take(scope, lines, given) {
      await scanAll();
      const collection = findCollection(collections, { scope, sensitivity: "internal" });
      const taken: Taken = { ids: [], conflicts: [], deferred: [] };
      const groups = [...groupBy(lines, ({ line }) => line.key)];
      for (let from = 0; from < groups.length; from += MEMORIES_AT_A_TIME) {
        const some = new Map(groups.slice(from, from + MEMORIES_AT_A_TIME));
        const { conflicts, deferred, ids } = await receive(options, collection, some, given);
        taken.ids.push(...ids);
        taken.conflicts.push(...conflicts);
        taken.deferred.push(...deferred);
      }
      return taken;
    },
  };
}

/** Lines of other machines by the memory that they are about. */
type Lines = ReadonlyMap<string, readonly SharedLine[]>;

type Changes = {
  lines: Record<string, string[]>;
  steps: LedgerLine[];
  merges: ReceivedChanges["merges"][number][];
  claims: ReceivedChanges["claims"][number][];
};

async function receive(
  options: ExchangeOptions,
  collection: Collection,
  received: Lines,
  given: TakeOptions,
): Promise<Taken> {
  const taken: Taken = { ids: [], conflicts: [], deferred: [] };
  await collection.change(async (transaction) => {
    const planned = await planAll(options.clock.now(), collection, transaction, { given, received });
    const changes: Changes = { lines: {}, steps: [], merges: [], claims: [] };
    for (const { key, lines, receipt, there } of planned) {
      const last = lines.at(-1)?.line;
      if (receipt.kind === "deferred") taken.deferred.push({ id: key, why: receipt.why });
      if (receipt.kind === "deferred" || !last) continue;
      addLines(changes, lines);
      const steps = planSteps(there, receipt.newest);
      // They copy the newest line's fields and are in no ledger.
      const { contents: _, from: _from, ...like } = last;
      changes.steps.push(...steps.map((step) => ({ ...like, ...describeStep(step) })));
      addMerge(changes, last.path, receipt);
      const path = await recordConflict(options, key, receipt);
      if (path !== undefined) taken.conflicts.push(path);
      if (steps.length > 0 || receipt.merged) taken.ids.push(key);
    }
    const { isForeign } = given;
    if (Object.keys(changes.lines).length > 0) await transaction.receive({ ...changes, isForeign });
  });
  options.onWritten(collection, taken.ids);
  return taken;
}

/** Of each memory the lines that are new here, oldest first, its file as it is, and how it takes them. */
async function planAll(
  nowMs: number,
  collection: Collection,
  transaction: Transaction,
  { given, received }: { given: TakeOptions; received: Lines },
) {
  const states = new Map<string, State | { why: string } | undefined>();
  const names = new Map(collection.entries().map(({ path }) => [foldName(path), path]));
  for (const key of received.keys()) states.set(key, await openState(collection, transaction, key, names));
  // Opening a file may have entered a person's change.
  const own = groupByKey(await collection.readLedger());
  return [...received].map(([key, all]) => {
    const local = own.get(key) ?? [];
    const known = new Set(local.map(({ id }) => id));
    const lines = all
      .filter(({ line }) => !known.has(line.id))
      .sort(({ line: a }, { line: b }) => (isLater(a, b) ? 1 : -1));
    const there = states.get(key);
    if (there && "why" in there) {
      const receipt: Receipt = { kind: "deferred", ...there };
      return { key, lines, there: undefined, receipt };
    }
    const receipt = planReceipt({
      local,
      received: lines.map(({ line }) => line),
      isShared: given.isShared,
      there,
      parse: (state) => parse(state, key, nowMs),
      format: formatMemoryFile,
    });
    return { key, lines, there, receipt };
  });
}

/**
 * The memory's file, after entering a person's change to it in the ledger, or why it is left alone. `names` are the paths
 * in use, by their folded names.
 */
async function openState(
  { folder }: Collection,
  transaction: Pick<Transaction, "open">,
  key: string,
  names: Map<string, string>,
): Promise<State | { why: string } | undefined> {
  let found: State | undefined;
  const place = parseID(key);
  for (const path of place ? pathsOf(place) : []) {
    const other = names.get(foldName(path)) ?? path;
    if (other !== path) return { why: `${other} exists, which some disks consider the same file; rename it` };
    names.set(foldName(path), path);
    const looked = await transaction.open(path);
    if (!looked) continue;
    if (looked.reading.kind === "problem")
      return { why: `${join(folder, path)} cannot be used: ${looked.reading.what}; repair or remove it` };
    if (found) return { why: `${found.path} and ${path} both exist; remove one of them` };
    found = { path, text: looked.text ?? "" };
  }
  return found;
}

/** A file without a modification time counts as written now. */
function parse({ path, text }: State, key: string, modifiedMs: number): Version {
  const place = parseID(key);
  const parts = parsePath(path);
  if (!place || !parts) return undefined;
  const { isArchived } = parts;
  const reading = parseMemoryFile(Buffer.from(text), { ...place, isArchived, modifiedMs });
  return reading.kind === "memory" ? { memory: reading.memory, isArchived } : undefined;
}

type PlannedReceipt = Receipt & { kind: "planned" };

/** Called before the change: if the change then fails, the record counts as settled. */
async function recordConflict(
  { clock, files, folders, trust }: ExchangeOptions,
  key: string,
  { conflicting, merged, newest }: PlannedReceipt,
): Promise<string | undefined> {
  const state = merged ? merged.state : newest;
  const inUse = state && parse(state, key, clock.now())?.memory;
  if (!conflicting || !inUse) return undefined;
  const { content, provenance, title } = conflicting;
  // The record of a global memory's conflict must not be committed in this project.
  const hidden = inUse.scope === "global" && { sensitivity: "private" as const };
  const log = createConflictLog({ clock, files, folder: folders.memory, ...(trust && { trust }) });
  return log.add(inUse, { content, title, ...hidden, by: provenance.session });
}

/** Each line goes to the ledger file of the machine that wrote it. */
function addLines(changes: Changes, lines: readonly SharedLine[]): void {
  for (const { file, line, text } of lines) {
    const { after, path } = line;
    changes.lines[file] ??= [];
    changes.lines[file].push(text);
    if (after !== null) changes.claims.push({ path, after });
  }
}

function addMerge(changes: Changes, path: string, { merged: given, newest, stale }: PlannedReceipt): void {
  const cause = { operation: SYNC, reason: "merges changes from two machines" };
  if (stale) {
    const step = { path: stale.path, before: stale.hash, contents: null, cause };
    changes.merges.push({ step, lastAt: stale.lastAt });
  }
  // The newest line about a memory defines its state.
  const merged = given ?? (stale && { state: newest, lastAt: stale.lastAt });
  if (!merged) return;
  const { lastAt, state } = merged;
  const steps = planSteps(newest, state);
  // Records that both sides are merged, even if the newest state stays.
  if (steps.length === 0)
    steps.push({ path: state?.path ?? path, before: state ? hashOf(state.text) : null });
  for (const step of steps) changes.merges.push({ step: { ...step, cause }, lastAt });
  if (state) changes.claims.push({ path: state.path, after: hashOf(state.text) });
}
