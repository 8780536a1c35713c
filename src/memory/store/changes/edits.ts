/** Changes memories that are there: rewrites, archives, restores and removes them. */
import { join } from "node:path";
import type { Clock } from "../../../io/clock.js";
import { findMove, type MemoryGate, withoutHints } from "../../draft.js";
import { formatPrefix, type Memory, type Place, parseID } from "../../memory.js";
import type { FileReading } from "../../memory-file.js";
import { findPathFault, formatPath } from "../../path.js";
import { findStanding, listKeptOut, pathsOf, type Standing } from "../change-all.js";
import type { Looked } from "../entries.js";
import type { Cause } from "../ledger-line.js";
import type { MemoryStore, Written } from "../store.js";
import type { Transaction } from "../transaction.js";

export interface Edits extends Pick<MemoryStore, "update" | "archive" | "restore"> {
  /** Runs `action` under the lock with the memory of this id, or says why there is none. */
  at(id: string, action: (target: Target) => Promise<Written>): Promise<Written>;
  /** Removes an archived memory. */
  discard(id: string, cause: Cause): Promise<Written>;
  /** Under the lock already. `change` answers nothing where there is nothing to change. */
  rewrite(target: Target, change: (current: Memory) => Memory | undefined, cause: Cause): Promise<Written>;
}

export interface EditsOptions {
  clock: Clock;
  standings: readonly Standing[];
  gate: MemoryGate | undefined;
  /** Why this memory may not be written. */
  findWhy(memory: Memory): Promise<string | undefined>;
  finish(standing: Standing, path: string, memory: Memory): Written;
}

export function createEdits({ clock, findWhy, finish, gate, standings }: EditsOptions): Edits {
  return {
    at,
    rewrite,

    update: (id, change, cause) => at(id, (target) => rewrite(target, change, cause)),

    archive: (id, cause) => put(id, { isArchived: true }, cause),
    restore: (id, cause) => put(id, { isArchived: false }, cause),

    /** What was opened is in the ledger: a file that was changed by hand is entered first. */
    discard(id, cause) {
      return at(id, async (target) => {
        const { transaction, looked, memory, path, standing } = target;
        if (memory.status !== "archived") return refuse(`${id} is in use; archive it first`);
        const refusal = await findSecret(target);
        if (refusal) return refusal;
        await transaction.discard(looked, cause);
        return finish(standing, path, memory);
      });
    },
  };

  async function at(id: string, action: (target: Target) => Promise<Written>): Promise<Written> {
    const place = parseID(id);
    if (!place) return refuse(missing(id));
    const standing = findStanding(standings, place);
    // Who asks for what is not there makes no lock and no folder.
    const isThere = await Promise.all(pathsOf(place).map((path) => standing.collection.look(path)));
    if (isThere.every((looked) => looked === undefined)) return refuse(missing(id));
    return standing.collection.change(async (transaction) => {
      for (const path of pathsOf(place)) {
        const looked = await transaction.open(path);
        if (!looked) continue;
        const problem = findProblem(looked) ?? (await findLinkOn(transaction, path));
        if (problem) return refuse(`${join(standing.collection.folder, path)} is left as it is: ${problem}`);
        const { reading } = looked;
        if (reading.kind !== "memory") continue;
        return action({ standing, transaction, path, looked, memory: reading.memory });
      }
      return refuse(missing(id));
    });
  }

  /** What a person has written and the ledger does not keep is not moved: its words would be lost there. */
  async function findSecret({ looked, memory }: Target): Promise<Written | undefined> {
    const why = await gate?.({ ...memory, content: looked.text ?? "" });
    return why === undefined ? undefined : refuse(why);
  }

  async function rewrite(
    target: Target,
    change: (current: Memory) => Memory | undefined,
    cause: Cause,
  ): Promise<Written> {
    const { standing, transaction, path, looked, memory } = target;
    const changed = change(memory);
    if (!changed) return unchanged(target);
    const next = withoutHints(changed, listKeptOut(standings));
    const why = findMove(memory, next) ?? (await findWhy(next));
    if (why) return refuse(why);
    const planned = await planRewrite(target, next, { nowMs: clock.now(), saidMs: cause.saidMs });
    if (!planned) return unchanged(target);
    const { contents, reading } = planned;
    if (reading.kind === "problem") return refuse(reading.what);
    await transaction.write(path, looked, contents, cause);
    return finish(standing, path, reading.memory);
  }

  function put(id: string, where: { isArchived: boolean }, cause: Cause): Promise<Written> {
    return at(id, async (target) => {
      if ((target.memory.status === "archived") === where.isArchived) return unchanged(target);
      return (await findSecret(target)) ?? move(target, where, cause);
    });
  }

  async function move(target: Target, where: { isArchived: boolean }, cause: Cause): Promise<Written> {
    const { isArchived } = where;
    const { standing, transaction, looked, memory } = target;
    const own = parseID(memory.id) as Place;
    const to = formatPath({ ...own, isArchived });
    const inTheWay = (await transaction.open(to))
      ? join(standing.collection.folder, to)
      : await transaction.findLink(to);
    if (inTheWay) return refuse(`${inTheWay} is in the way; rename or remove it`);
    await transaction.move(looked, to, cause);
    const { parseMemoryFile } = await import("../../memory-file.js");
    const place = { ...own, isArchived, modifiedMs: looked.modifiedMs };
    const moved = parseMemoryFile(Buffer.from(looked.text ?? ""), place);
    return finish(standing, to, moved.kind === "memory" ? moved.memory : memory);
  }
}

/**
 * The file with this memory in it; `undefined` where it says what it says already. What was said earlier makes no memory
 * older than it is.
 */
async function planRewrite(
  { looked, memory }: Target,
  next: Memory,
  { nowMs, saidMs }: { nowMs: number; saidMs: number | undefined },
): Promise<{ contents: string; reading: FileReading } | undefined> {
  const { formatMemoryFile, parseMemoryFile } = await import("../../memory-file.js");
  const { updated } = memory;
  if (formatMemoryFile({ ...next, updated }, looked.text) === formatMemoryFile(memory, looked.text))
    return undefined;
  const atMs = saidMs === undefined ? nowMs : Math.max(saidMs, Date.parse(updated) || 0);
  const contents = formatMemoryFile({ ...next, updated: new Date(atMs).toISOString() }, looked.text);
  const place = { ...(parseID(memory.id) as Place), isArchived: memory.status === "archived" };
  return { contents, reading: parseMemoryFile(Buffer.from(contents), { ...place, modifiedMs: nowMs }) };
}

/* What a change is made to, and how it is refused. */

/** A change that was looked at and may be made. */
export interface Target {
  standing: Standing;
  transaction: Transaction;
  /** From the folder of the collection. */
  path: string;
  looked: Looked;
  memory: Memory;
}

export function unchanged({ standing, memory, path }: Target): Written {
  return { kind: "unchanged", memory, path: join(standing.collection.folder, path) };
}

export const refuse = (why: string): Written => ({ kind: "refused", why });

export const missing = (id: string): string =>
  `there is no memory ${JSON.stringify(id)}; ids look like decision/port-8080 or ${formatPrefix({ scope: "global", sensitivity: "private" })}preference/tone`;

export function findProblem({ path, reading }: Looked): string | undefined {
  if (reading.kind === "problem") return reading.what;
  const fault = findPathFault(path);
  return fault && `${fault}, so it has no history and is not changed; give it another name`;
}

export async function findLinkOn(transaction: Transaction, path: string): Promise<string | undefined> {
  const link = await transaction.findLink(path);
  return link && `${link} is a link, and links are not followed`;
}
