/** What changes memories: each under the lock of its collection, checked before, one step on disk. */
import { join } from "node:path";
import type { Clock } from "../../../io/clock.js";
import { findRefusal, type MemoryGate, planMemory, withoutHints } from "../../draft.js";
import { type Memory, parseID } from "../../memory.js";
import { ARCHIVE, foldName, formatPath, planName } from "../../path.js";
import { findSameSentence, takeInAgain } from "../../same-sentence.js";
import { findStanding, listKeptOut, pathsOf, type Standing } from "../change-all.js";
import type { Cause } from "../ledger-line.js";
import type { MemoryStore, OpenMemories, Written } from "../store.js";
import type { Transaction } from "../transaction.js";
import type { Copies } from "./copies.js";
import { createEdits, type Edits, findLinkOn, findProblem, refuse, type Target } from "./edits.js";
import { createPublishing } from "./publishing.js";

export interface Changes
  extends Pick<MemoryStore, "remember" | "update" | "archive" | "restore">,
    Pick<OpenMemories, "adopt" | "adoptAll" | "publish"> {
  /** The memory as its file is now. */
  find(id: string): Promise<Found | undefined>;
  discard(id: string, cause: Cause): Promise<Written>;
}

export interface Found {
  memory: Memory;
  path: string;
}

export interface ChangesOptions {
  clock: Clock;
  standings: readonly Standing[];
  gate?: MemoryGate;
  onWritten(standing: Standing, ids: readonly string[]): void;
  /** Somebody has said again what this memory says. */
  onSaidAgain(id: string): void;
}

export function createChanges({ clock, standings, gate, onSaidAgain, onWritten }: ChangesOptions): Changes {
  const parts = { clock, standings, gate, findWhy, finish };
  const { at, rewrite, ...edits } = createEdits(parts);
  const publishing = createPublishing({ ...parts, edits: { at, update: edits.update } });
  const additions = createAdditions({ ...parts, rewrite, onSaidAgain });

  return {
    ...additions,

    adopt: async (copy, cause) => (await openCopies()).adopt(copy, cause),
    adoptAll: async (copies, cause, onProgress) => (await openCopies()).adoptAll(copies, cause, onProgress),
    ...edits,
    ...publishing,

    async find(id) {
      const place = parseID(id);
      const standing = place && findStanding(standings, place);
      if (!standing) return undefined;
      for (const path of pathsOf(place)) {
        const reading = (await standing.collection.look(path))?.reading;
        if (reading?.kind === "memory") return { memory: reading.memory, path };
      }
      return undefined;
    },
  };

  /** Loaded only for imports. */
  async function openCopies(): Promise<Copies> {
    return (await import("./copies.js")).createCopies(parts);
  }

  async function findWhy(memory: Memory): Promise<string | undefined> {
    return findRefusal(memory, listKeptOut(standings)) ?? (await gate?.(memory));
  }

  function finish(standing: Standing, path: string, memory: Memory): Written {
    const { collection } = standing;
    onWritten(standing, [memory.id]);
    const marked = collection.isKeptOut(path) ? { ...memory, isKeptOut: true as const } : memory;
    return { kind: "written", memory: marked, path: join(collection.folder, path) };
  }
}

/* Adds new memories. */

export type Additions = Pick<MemoryStore, "remember">;

export interface AdditionsOptions {
  clock: Clock;
  standings: readonly Standing[];
  /** Why this memory may not be written. */
  findWhy(memory: Memory): Promise<string | undefined>;
  finish(standing: Standing, path: string, memory: Memory): Written;
  rewrite: Edits["rewrite"];
  onSaidAgain(id: string): void;
}

export function createAdditions(options: AdditionsOptions): Additions {
  const { clock, findWhy, finish, onSaidAgain, rewrite, standings } = options;
  return {
    async remember(draft, cause) {
      const files = await import("../../memory-file.js");
      const planned = planMemory(draft, files.readTitle, cause.saidMs ?? clock.now());
      const standing = findStanding(standings, planned);
      await standing.collection.scan();
      const { keepOut } = standing;
      const kept = keepOut?.covers(planned.type) ? { ...planned, isKeptOut: true as const } : planned;
      const memory = withoutHints(kept, listKeptOut(standings));
      const why = await findWhy(memory);
      if (why) return refuse(why);
      const contents = files.formatMemoryFile(memory);
      return standing.collection.change(async (transaction) => {
        const { type } = memory;
        const known = await findKnown(standing, transaction, memory);
        if (known) return sayAgain(known, memory, cause);
        const link = (await transaction.findLink(type)) ?? (await transaction.findLink(join(ARCHIVE, type)));
        if (link) return refuse(`${link} is a link, and links are not followed; put the folder itself there`);
        const names = [...(await transaction.names(type)), ...(await transaction.names(join(ARCHIVE, type)))];
        const taken = new Set(names.map((name) => foldName(name.replace(/\.md$/i, ""))));
        // Git sees a new file under a name that was published before.
        const isOpen = (name: string): boolean =>
          memory.isKeptOut === true &&
          keepOut?.isPublished(formatPath({ type, name, isArchived: false })) === true;
        const name = planName(memory.title, type, { has: (one) => taken.has(one) || isOpen(one) });
        const place = { ...memory, name, isArchived: false, modifiedMs: clock.now() };
        const reading = files.parseMemoryFile(Buffer.from(contents), place);
        if (reading.kind === "problem") return refuse(reading.what);
        const path = formatPath({ type, name, isArchived: false });
        await transaction.write(path, undefined, contents, cause);
        return finish(standing, path, reading.memory);
      });
    },
  };

  /** One memory, with a use more. */
  async function sayAgain(target: Target, said: Memory, cause: Cause): Promise<Written> {
    const written = await rewrite(target, (current) => takeInAgain(current, said), cause);
    if (written.kind === "refused") return written;
    onSaidAgain(target.memory.id);
    return { ...written, isKnown: true };
  }
}

/** The memory that says the same already, those included that somebody else has written since the last look. */
async function findKnown(
  standing: Standing,
  transaction: Transaction,
  memory: Memory,
): Promise<Target | undefined> {
  const { type } = memory;
  const read = new Set(standing.collection.entries().map(({ path }) => path));
  for (const name of await transaction.names(type)) {
    const path = join(type, name);
    if (!read.has(path)) await standing.collection.look(path);
  }
  const same = findSameSentence(memory, standing.collection.memories());
  const place = same && parseID(same.id);
  if (!place) return undefined;
  const path = formatPath({ ...place, isArchived: false });
  const looked = await transaction.open(path);
  if (looked?.reading.kind !== "memory" || findProblem(looked) || (await findLinkOn(transaction, path)))
    return undefined;
  // Somebody may be changing it with an editor just now.
  const current = findSameSentence(memory, [looked.reading.memory]);
  return current && { standing, transaction, path, looked, memory: current };
}
