/** Adds, rewrites, archives, restores and removes single memories: each under the lock of its folder, in one step on disk. */
import { join } from "node:path";
import { hashOf } from "../../../base/hash.js";
import { foldSentence } from "../../../base/text.js";
import type { Clock } from "../../../io/clock.js";
import { findMove, findRefusal, planMemory, refuseSecrets, withoutHints } from "../../draft.js";
import {
  formatPrefix,
  isUsers,
  type Memory,
  type MemoryDraft,
  type MemoryType,
  type Place,
  parseID,
  usersTypes,
  withSession,
} from "../../memory.js";
import { ARCHIVE, findPathFault, foldName, formatPath, planName } from "../../path.js";
import { type Collection, findCollection, pathsOf } from "../collection.js";
import type { Cause } from "../ledger.js";
import type { Looked } from "../scan.js";
import type { OpenMemories, Written } from "../store.js";
import type { Transaction, TransactionStep } from "../transaction.js";

export interface ChangeParts {
  clock: Clock;
  collections: readonly Collection[];
  /** Types of project memories that go to `private/`. */
  privateTypes?: readonly MemoryType[] | undefined;
  /** Called after these memories were written. */
  onWritten(collection: Collection, ids: readonly string[]): void;
  /** Called when someone says again what this memory says. */
  onSaidAgain(id: string): void;
}

export type Changes = Pick<OpenMemories, "remember" | "update" | "archive" | "restore" | "discard">;

export function createChanges(parts: ChangeParts): Changes {
  const put = (id: string, isArchived: boolean, cause: Cause): Promise<Written> =>
    changeOne(parts, id, async (target) => {
      const { memory } = target;
      if ((memory.status === "archived") === isArchived) return unchanged(target);
      return write(parts, target, { ...memory, status: isArchived ? "archived" : "active" }, cause);
    });
  return {
    remember: (draft, cause) => remember(parts, draft, cause),
    update: (id, change, cause) => changeOne(parts, id, (target) => rewrite(parts, target, change, cause)),
    archive: (id, cause) => put(id, true, cause),
    restore: (id, cause) => put(id, false, cause),

    discard: (id, cause) =>
      changeOne(parts, id, async (target) => {
        if (target.memory.status !== "archived") return refuse(`${id} is in use; archive it first`);
        await target.transaction.discard(target.looked, cause);
        return finish(parts, target.collection, target.path, target.memory);
      }),
  };
}

/** A memory that was opened under the lock. */
export interface Target {
  collection: Collection;
  transaction: Transaction;
  /** From the folder of the collection. */
  path: string;
  looked: Looked;
  memory: Memory;
}

/** Runs `action` under the lock with the memory of this id, or says why there is none. */
export async function changeOne(
  { collections }: Pick<ChangeParts, "collections">,
  id: string,
  action: (target: Target) => Promise<Written>,
): Promise<Written> {
  const place = parseID(id);
  if (!place) return refuse(missing(id));
  const collection = findCollection(collections, place);
  // Asking for a missing memory creates no lock and no folder.
  const isThere = await Promise.all(pathsOf(place).map((path) => collection.look(path)));
  if (isThere.every((looked) => looked === undefined)) return refuse(missing(id));
  return collection.change(async (transaction) => {
    const target = await openTarget(collection, transaction, id);
    return typeof target === "string" ? refuse(target) : action(target);
  });
}

/** The memory of this id, in use or archived, or why there is none. */
export async function openTarget(
  collection: Collection,
  transaction: Transaction,
  id: string,
): Promise<Target | string> {
  const place = parseID(id);
  for (const path of place ? pathsOf(place) : []) {
    const looked = await transaction.open(path);
    if (!looked) continue;
    const problem = findProblem(looked);
    if (problem) return `${join(collection.folder, path)} is left as it is: ${problem}`;
    const { reading } = looked;
    if (reading.kind === "memory") return { collection, transaction, path, looked, memory: reading.memory };
  }
  return missing(id);
}

/** `change` returns `undefined` to leave the memory as it is. */
export async function rewrite(
  parts: ChangeParts,
  target: Target,
  change: (current: Memory) => Memory | undefined,
  cause: Cause,
): Promise<Written> {
  const { looked, memory } = target;
  const next = change(memory);
  if (!next) return unchanged(target);
  const { formatMemoryFile } = await import("../../memory-file.js");
  const why = findMove(memory, next);
  if (why !== undefined) return refuse(why);
  const { updated } = memory;
  const inPlace = withoutHints({ ...next, updated });
  if (formatMemoryFile(inPlace, looked.text) === formatMemoryFile(memory, looked.text))
    return unchanged(target);
  // Something said earlier makes no memory older than it is.
  const { saidMs } = cause;
  const atMs = saidMs === undefined ? parts.clock.now() : Math.max(saidMs, Date.parse(updated) || 0);
  return write(parts, target, { ...next, updated: new Date(atMs).toISOString() }, cause);
}

async function write(parts: ChangeParts, target: Target, next: Memory, cause: Cause): Promise<Written> {
  const planned = await planChange(target, next, cause);
  if (typeof planned === "string") return refuse(planned);
  await target.transaction.changeAll(planned.steps);
  return finish(parts, target.collection, planned.steps.at(-1)?.path ?? target.path, planned.memory);
}

/**
 * The steps that make this of an opened memory, and the memory after them; or why they cannot be taken. Its fields are
 * changed first, then its file is moved, if its status says so.
 */
export async function planChange(
  { looked, memory, path, transaction }: Target,
  next: Memory,
  cause: Cause,
): Promise<{ steps: readonly TransactionStep[]; memory: Memory } | string> {
  const { formatMemoryFile, parseMemoryFile } = await import("../../memory-file.js");
  const isArchived = next.status === "archived";
  const isMoved = isArchived !== (memory.status === "archived");
  const inPlace = withoutHints(isMoved ? { ...next, status: memory.status } : next);
  const steps: TransactionStep[] = [];
  // A file that only moves keeps its bytes, whatever its formatting.
  let text = looked.text ?? "";
  if (JSON.stringify(inPlace) !== JSON.stringify(memory)) {
    const why = findMove(memory, inPlace) ?? findWhyNot(inPlace);
    if (why !== undefined) return why;
    const contents = formatMemoryFile(inPlace, text);
    if (contents !== text) steps.push({ path, before: looked.hash ?? null, contents, cause });
    text = contents;
  }
  const place = { ...(parseID(memory.id) as Place), isArchived };
  const reading = parseMemoryFile(Buffer.from(text), { ...place, modifiedMs: looked.modifiedMs });
  if (reading.kind === "problem") return `${memory.id}: ${reading.what}`;
  if (!isMoved) return { steps, memory: reading.memory };
  const to = formatPath(place);
  if (await transaction.open(to)) return `${to} is in the way; rename or remove it`;
  return {
    steps: [...steps, { path: to, from: path, before: hashOf(text), cause }],
    memory: reading.memory,
  };
}

async function remember(parts: ChangeParts, draft: MemoryDraft, cause: Cause): Promise<Written> {
  const { clock, collections, privateTypes } = parts;
  const { formatMemoryFile, parseMemoryFile, readTitle } = await import("../../memory-file.js");
  const memory = withoutHints(planMemory(draft, readTitle, cause.saidMs ?? clock.now(), privateTypes));
  const { type } = memory;
  const collection = findCollection(collections, memory);
  await collection.scan();
  const why = findWhyNot(memory);
  if (why) return refuse(why);
  const contents = formatMemoryFile(memory);
  return collection.change(async (transaction) => {
    const known = await findKnown(collection, transaction, memory);
    if (known) return sayAgain(parts, known, memory, cause);
    const name = planName(memory.title, type, await listNames(transaction, type));
    const place = { ...memory, name, isArchived: false, modifiedMs: clock.now() };
    const reading = parseMemoryFile(Buffer.from(contents), place);
    if (reading.kind === "problem") return refuse(reading.what);
    const path = formatPath({ type, name, isArchived: false });
    const inTheWay = (await transaction.open(path))?.reading;
    if (inTheWay?.kind === "problem") return refuse(inTheWay.what);
    await transaction.changeAll([{ path, before: null, contents, cause }]);
    return finish(parts, collection, path, reading.memory);
  });
}

/** The names in use, as `foldName` maps them. */
export async function listNames(
  transaction: Pick<Transaction, "names">,
  type: Memory["type"],
): Promise<ReadonlySet<string>> {
  const files = [...(await transaction.names(type)), ...(await transaction.names(join(ARCHIVE, type)))];
  return new Set(files.map((file) => foldName(file.replace(/\.md$/i, ""))));
}

/** The known memory with one more use. */
async function sayAgain(parts: ChangeParts, target: Target, said: Memory, cause: Cause): Promise<Written> {
  const written = await rewrite(parts, target, (current) => takeInAgain(current, said), cause);
  if (written.kind === "refused") return written;
  parts.onSaidAgain(target.memory.id);
  return { ...written, isKnown: true };
}

/** The memory that says the same already, including those that others have written since the last look. */
async function findKnown(
  collection: Collection,
  transaction: Transaction,
  memory: Memory,
): Promise<Target | undefined> {
  const { type } = memory;
  const read = new Set(collection.entries().map(({ path }) => path));
  for (const name of await transaction.names(type))
    if (!read.has(join(type, name))) await collection.look(join(type, name));
  const same = findSameSentence(memory, collection.memories());
  const place = same && parseID(same.id);
  if (!place) return undefined;
  const path = formatPath({ ...place, isArchived: false });
  const looked = await transaction.open(path);
  if (looked?.reading.kind !== "memory" || findProblem(looked)) return undefined;
  // It may just have been changed with an editor.
  const current = findSameSentence(memory, [looked.reading.memory]);
  return current && { collection, transaction, path, looked, memory: current };
}

/** Why this memory may not be written. */
export const findWhyNot = (memory: Memory): string | undefined =>
  findRefusal(memory) ?? refuseSecrets(memory);

export function finish(
  { onWritten }: Pick<ChangeParts, "onWritten">,
  collection: Collection,
  path: string,
  memory: Memory,
): Written {
  onWritten(collection, [memory.id]);
  return { kind: "written", memory, path: join(collection.folder, path) };
}

export function unchanged({ collection, memory, path }: Target): Written {
  return { kind: "unchanged", memory, path: join(collection.folder, path) };
}

export const refuse = (why: string): Written => ({ kind: "refused", why });

export const missing = (id: string): string =>
  `there is no memory ${JSON.stringify(id)}; ids look like decision/port-8080 or ${formatPrefix({ scope: "global", sensitivity: "private" })}preference/tone`;

function findProblem({ path, reading }: Looked): string | undefined {
  if (reading.kind === "problem") return reading.what;
  const fault = findPathFault(path);
  return fault && `${fault}, so it has no history and is not changed; give it another name`;
}

/* Whether two memories are one because they say the same sentence. Pure. */

/** The memory that says the same sentence as `said`. Foreign memories do not count. */
function findSameSentence(said: Memory, memories: readonly Memory[]): Memory | undefined {
  const sentence = readSentence(said);
  // A number, a mark or a piece of data is not a sentence: the title says what it means.
  if (!/\p{L}/u.test(sentence)) return undefined;
  return memories.find(
    (memory) =>
      memory.status === "active" &&
      memory.isForeign !== true &&
      memory.scope === said.scope &&
      memory.sensitivity === said.sensitivity &&
      // A rule also covers a fact with its words; a fact does not cover a rule.
      (memory.type === said.type || (usersTypes.has(memory.type) && !usersTypes.has(said.type))) &&
      readSentence(memory) === sentence,
  );
}

/** Merges a restatement into the known memory: the user's provenance replaces an agent's, and the session is added. */
function takeInAgain(known: Memory, said: Memory): Memory {
  const memory = withSession(known, said.provenance.session) ?? known;
  const isConfirmed = isUsers(said) && !isUsers(known);
  return {
    ...memory,
    pinned: known.pinned || said.pinned,
    ...(isConfirmed && { provenance: said.provenance }),
  };
}

/** A memory without content says its title. */
function readSentence({ content, title }: Pick<Memory, "content" | "title">): string {
  return foldSentence(content.trim() === "" ? title : content);
}
