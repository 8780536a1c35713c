/** Every change of memories: single ones, planned ones in one step per folder or none, copies, publishing, undo and acceptance. */
import { join } from "node:path";
import { formatError, StrataError } from "../../../base/error.js";
import { findHint, refuseSecrets } from "../../draft.js";
import { formatID, type Memory, parseID, privateTypes as usuallyPrivate } from "../../memory.js";
import { findNameFault, foldName, formatPath, planName, quotePath, splitPath } from "../../path.js";
import { type Collection, findCollection, pathsOf } from "../collection.js";
import { isConflictRecord, nameConflictRecord, readConflictRecords } from "../conflict-log.js";
import type { ExchangeOptions } from "../exchange.js";
import { type Cause, PUBLISH } from "../ledger.js";
import type { AllChanged, MemoryCopy, OpenMemories, PlannedChange, Written } from "../store.js";
import type { Transaction, TransactionStep } from "../transaction.js";
import { createUndo } from "../undo.js";
import {
  type ChangeParts,
  type Changes,
  changeOne,
  createChanges,
  finish,
  listNames,
  missing,
  openTarget,
  planChange,
  refuse,
  rewrite,
  type Target,
  unchanged,
} from "./changes.js";

type AllParts = ChangeParts & Pick<ExchangeOptions, "files" | "folders" | "trust">;
export type AllChanges = Changes &
  Pick<OpenMemories, "accept" | "adoptAll" | "changeAll" | "publish" | "revoke" | "undo">;

export const createAllChanges = (parts: AllParts): AllChanges => ({
  ...createChanges(parts),
  ...createAcceptance(parts),
  publish: createPublish(parts),
  adoptAll: createAdoptAll(parts),
  changeAll: createChangeAll(parts),
  undo: createUndo(parts.collections, parts.onWritten),
});

/** The planned steps in one folder, whose lock is held. */
interface Part {
  collection: Collection;
  transaction: Transaction;
  steps: readonly TransactionStep[];
  ids: readonly string[];
}

function createChangeAll(parts: ChangeParts): OpenMemories["changeAll"] {
  return (planned, cause) => {
    const wanted = parts.collections.map((collection) => ({
      collection,
      own: planned.filter(({ before }) => findCollection(parts.collections, before) === collection),
    }));
    return lockAll(
      wanted.filter(({ own }) => own.length > 0),
      [],
      cause,
    );
  };

  /** Locks all folders in a fixed order and checks each before the first is changed. */
  async function lockAll(
    [first, ...others]: readonly { collection: Collection; own: readonly PlannedChange[] }[],
    ready: readonly Part[],
    cause: Cause,
  ): Promise<AllChanged> {
    if (!first) return write(ready);
    const { collection, own } = first;
    return collection.change(async (transaction) => {
      const steps: TransactionStep[] = [];
      const ids: string[] = [];
      for (const { after, before, reason } of own) {
        const target = await openTarget(collection, transaction, before.id);
        if (typeof target === "string") return { kind: "refused", why: target };
        if (JSON.stringify(target.memory) !== JSON.stringify(before))
          return { kind: "refused", why: `${before.id} has changed since` };
        const planned = await planChange(target, after, reason === undefined ? cause : { ...cause, reason });
        if (typeof planned === "string") return { kind: "refused", why: planned };
        steps.push(...planned.steps);
        if (planned.steps.length > 0) ids.push(before.id);
      }
      // Rewrites first: what takes the place of an archived memory is there before that is gone.
      steps.sort((a, b) => Number(a.from !== undefined) - Number(b.from !== undefined));
      return lockAll(others, [...ready, { collection, transaction, steps, ids }], cause);
    });
  }

  async function write(ready: readonly Part[]): Promise<AllChanged> {
    const done: string[] = [];
    for (const { collection, ids, steps, transaction } of ready) {
      try {
        await transaction.changeAll(steps);
      } catch (thrown) {
        if (done.length === 0) throw thrown;
        throw new StrataError(
          "EUNFINISHED",
          `${done.length} memories were changed, those in ${collection.folder} were not (${formatError(thrown)}); strata undo reverts them`,
        );
      }
      parts.onWritten(collection, ids);
      done.push(...ids);
    }
    return { kind: "written", ids: done };
  }
}

/** Limits the size of a step: each line of `pending.json` holds a whole memory. */
const AT_A_TIME = 250;

function createAdoptAll(parts: ChangeParts): OpenMemories["adoptAll"] {
  return async (copies, cause, onProgress) => {
    const written: Written[] = [];
    // A name that a person has freed by removing its file counts as free.
    await Promise.all(parts.collections.map((collection) => collection.scan()));
    for (let from = 0; from < copies.length; from += AT_A_TIME) {
      written.push(...(await adoptSome(parts, copies.slice(from, from + AT_A_TIME), cause)));
      onProgress?.(written.length);
    }
    return written;
  };
}

/** Writes files byte for byte, in one step per folder; returns one result per file. */
async function adoptSome(
  parts: ChangeParts,
  copies: readonly MemoryCopy[],
  cause: Cause,
): Promise<Written[]> {
  const written: Written[] = [];
  const checked: { collection: Collection; copy: MemoryCopy; memory: Memory; index: number }[] = [];
  for (const [index, given] of copies.entries()) {
    const copy = await placeCopy(parts, given);
    const one = await checkCopy(parts, copy);
    if ("why" in one) written[index] = refuse(one.why);
    else checked.push({ ...one, copy, index });
  }
  for (const collection of new Set(checked.map((one) => one.collection)))
    await collection.change(async (transaction) => {
      const steps = new Map<string, TransactionStep>();
      const ready: { index: number; path: string; memory: Memory }[] = [];
      for (const { copy, index, memory } of checked.filter((one) => one.collection === collection)) {
        const there = await findThere(transaction, copy, steps);
        const at = (path: string): string => join(collection.folder, path);
        if ("why" in there) written[index] = refuse(there.why);
        else if ("path" in there)
          written[index] =
            there.text === copy.contents
              ? { kind: "unchanged", memory, path: at(there.path) }
              : refuse(`${at(there.path)} is there already and says otherwise`);
        else {
          steps.set(there.free, { path: there.free, before: null, contents: copy.contents, cause });
          ready.push({ index, memory, path: there.free });
        }
      }
      await transaction.changeAll([...steps.values()]);
      for (const { index, memory, path } of ready) written[index] = finish(parts, collection, path, memory);
    });
  return written;
}

/** The file at one of the memory's paths, on disk or in these steps, or the path that is free for it. */
async function findThere(
  transaction: Transaction,
  { id, isArchived }: MemoryCopy,
  steps: ReadonlyMap<string, TransactionStep>,
): Promise<{ why: string } | { path: string; text: string | undefined } | { free: string }> {
  const place = parseID(id);
  if (!place) return { why: missing(id) };
  const [active, archived] = pathsOf(place);
  const free = isArchived ? archived : active;
  for (const path of [active, archived]) {
    const text = steps.get(path)?.contents;
    if (typeof text === "string") return { path, text };
    const looked = await transaction.open(path);
    if (looked) return { path, text: looked.text };
  }
  return { free };
}

/** What goes to `private/` by its type does so here as well, unless git sees a memory of that name. */
async function placeCopy(
  { clock, collections, privateTypes = usuallyPrivate }: ChangeParts,
  copy: MemoryCopy,
): Promise<MemoryCopy> {
  const place = parseID(copy.id);
  if (place?.scope !== "project" || place.sensitivity === "private" || !privateTypes.includes(place.type))
    return copy;
  const collection = findCollection(collections, place);
  for (const path of pathsOf(place)) if (await collection.look(path)) return copy;
  const { formatMemoryFile, parseMemoryFile } = await import("../../memory-file.js");
  const { contents, isArchived } = copy;
  const own = { ...place, sensitivity: "private" as const, isArchived, modifiedMs: clock.now() };
  const reading = parseMemoryFile(Buffer.from(contents), own);
  if (reading.kind === "problem") return copy;
  const personal = { ...reading.memory, isPersonal: true as const };
  return { ...copy, id: formatID(own), contents: formatMemoryFile(personal, contents) };
}

/** Reads a copy and decides whether it may be written. */
async function checkCopy(
  { clock, collections }: ChangeParts,
  { contents, id, isArchived }: MemoryCopy,
): Promise<{ collection: Collection; memory: Memory } | { why: string }> {
  const place = parseID(id);
  if (!place) return { why: missing(id) };
  const fault = findNameFault(place.name);
  if (fault !== undefined) return { why: `${quotePath(id)} is not the id of a memory: ${fault}` };
  const { parseMemoryFile } = await import("../../memory-file.js");
  const reading = parseMemoryFile(Buffer.from(contents), { ...place, isArchived, modifiedMs: clock.now() });
  if (reading.kind === "problem") return { why: reading.what };
  // Checks the whole text: comments among the fields are in the file as well.
  const whole = { ...reading.memory, content: contents };
  const collection = findCollection(collections, place);
  const why = findHint(whole) ?? refuseSecrets(whole);
  return why === undefined ? { memory: reading.memory, collection } : { why };
}

/*
 * Publishes a memory: writes its file where git sees it, then removes it from `private/`. Its earlier versions stay in the
 * ledger there. It is not undone.
 */

function createPublish(parts: ChangeParts): OpenMemories["publish"] {
  const { collections } = parts;
  return async (id, given) => {
    const cause = { ...given, operation: PUBLISH };
    const place = parseID(id);
    if (!place) return refuse(missing(id));
    if (place.scope === "global")
      return refuse(`${id} holds in every project and is in the git of none; copy its file to share it`);
    await Promise.all(collections.map((collection) => collection.scan()));
    if (place.sensitivity === "internal") return changeOne(parts, id, async (target) => unchanged(target));
    const shared = findCollection(collections, { ...place, sensitivity: "internal" });
    // In the order in which every change of two folders locks them.
    const written = await shared.change((transaction) =>
      changeOne(parts, id, (target) => moveOut(parts, target, { transaction, shared, cause })),
    );
    if (written.kind === "written") await renameLinks(parts, id, written.memory.id, cause);
    return written;
  };
}

/** The file is written there before it is removed here. */
async function moveOut(
  parts: ChangeParts,
  target: Target,
  { cause, shared, transaction }: { cause: Cause; shared: Collection; transaction: Transaction },
): Promise<Written> {
  const { looked, memory, path } = target;
  const from = splitPath(path);
  if (!from || looked.text === undefined) return refuse(missing(memory.id));
  if (memory.isForeign)
    return refuse(`${memory.id} came with the repository and is not yours; accept it with strata trust`);
  const { formatMemoryFile } = await import("../../memory-file.js");
  const { isPersonal: _, ...rest } = memory;
  const open = { ...rest, sensitivity: "internal" as const };
  const contents = formatMemoryFile(open, looked.text);
  const whole = { ...open, content: contents };
  const why = findHint(whole) ?? refuseSecrets(whole);
  if (why !== undefined) return refuse(why);
  const taken = await listNames(transaction, from.type);
  const name = taken.has(foldName(from.name)) ? planName(from.name, from.type, taken) : from.name;
  const to = formatPath({ ...from, name });
  await transaction.changeAll([{ path: to, before: null, contents, cause }]);
  await target.transaction.discard(looked, cause);
  finish(parts, target.collection, path, memory);
  const found = (await transaction.open(to))?.reading;
  return finish(parts, shared, to, found?.kind === "memory" ? found.memory : open);
}

/** Lets the memories that link to this one name its new id. */
async function renameLinks(parts: ChangeParts, id: string, newID: string, cause: Cause): Promise<void> {
  const rename = (one: string): string => (one === id ? newID : one);
  const names = ({ links, supersededBy }: Memory): boolean => links.includes(id) || supersededBy === id;
  const change = ({ supersededBy, ...one }: Memory): Memory => ({
    ...one,
    links: one.links.map(rename),
    ...(supersededBy !== undefined && { supersededBy: rename(supersededBy) }),
  });
  for (const memory of parts.collections.flatMap((collection) => collection.memories()).filter(names))
    await changeOne(parts, memory.id, (target) => rewrite(parts, target, change, cause));
}

/* What the user accepts of the memories that came from elsewhere. */

function createAcceptance(given: AllParts): Pick<OpenMemories, "accept" | "revoke"> {
  const { collections, files, folders, trust } = given;
  return {
    async accept(ids, why) {
      const waiting = collections.flatMap((collection) => [...collection.foreign()]);
      const taken = new Map(
        waiting.filter(([id, { hash }]) => ids?.includes(id) ?? trust?.team.authorOf(hash) === undefined),
      );
      if (taken.size === 0) return [];
      const records = ids === undefined ? await readConflictRecords(files, folders.memory) : [];
      const named = records.map((record) => nameConflictRecord(folders.memory, record));
      await trust?.accept([...taken.values(), ...named], why);
      return collections.flatMap((collection) => collection.memories()).filter(({ id }) => taken.has(id));
    },

    async revoke() {
      const revoked = await trust?.revoke();
      return revoked?.files.filter(({ name }) => !isConflictRecord(name)).length;
    },
  };
}
