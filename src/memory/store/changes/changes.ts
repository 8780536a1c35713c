/** What changes memories: each under the lock of its shelf, checked before, one step on disk. */

import { join } from "node:path";
import type { Clock } from "../../seams/clock.js";
import { findHint, findMove, findRefusal, planMemory } from "../draft.js";
import { formatPrefix, type Place, parseID } from "../id.js";
import type { Memory } from "../memory.js";
import { findNameFault, foldName, planName } from "../name.js";
import { ARCHIVE, findPathFault, formatPath, quotePath } from "../path.js";
import { findSameSentence, takeInAgain } from "../same-sentence.js";
import type { MemoryGate } from "../secret-gate.js";
import type { MemoryCopy, MemoryStore, Written } from "../store.js";
import type { Desk } from "./desk.js";
import type { Looked } from "./entries.js";
import type { Cause } from "./ledger-line.js";
import { findStanding, pathsOf, type Standing } from "./standing.js";

export interface Changes extends Pick<MemoryStore, "remember" | "update" | "archive" | "restore"> {
  /** The memory as its file is now. */
  find(id: string): Promise<Found | undefined>;
  adopt(file: MemoryCopy, cause: Cause): Promise<Written>;
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

/** A change that was looked at and may be made. */
interface Target {
  standing: Standing;
  desk: Desk;
  /** From the folder of the shelf. */
  path: string;
  looked: Looked;
  memory: Memory;
}

export function createChanges({ clock, standings, gate, onSaidAgain, onWritten }: ChangesOptions): Changes {
  const findWhy = async (memory: Memory): Promise<string | undefined> =>
    findRefusal(memory) ?? (await gate?.(memory));

  return {
    async find(id) {
      const place = parseID(id);
      const standing = place && findStanding(standings, place);
      if (!standing) return undefined;
      for (const path of pathsOf(place)) {
        const reading = (await standing.shelf.look(path))?.reading;
        if (reading?.kind === "memory") return { memory: reading.memory, path };
      }
      return undefined;
    },

    async remember(draft, cause) {
      const files = await import("../memory-file.js");
      const memory = planMemory(draft, files.readTitle, clock.now());
      const why = await findWhy(memory);
      if (why) return refuse(why);
      const contents = files.formatMemoryFile(memory);
      const standing = findStanding(standings, memory);
      await standing.shelf.scan();
      return standing.shelf.change(async (desk) => {
        const { type } = memory;
        const known = await findKnown(standing, desk, memory);
        if (known) return sayAgain(known, memory, cause);
        const link = (await desk.findLink(type)) ?? (await desk.findLink(join(ARCHIVE, type)));
        if (link) return refuse(`${link} is a link, and links are not followed; put the folder itself there`);
        const names = [...(await desk.names(type)), ...(await desk.names(join(ARCHIVE, type)))];
        const taken = new Set(names.map((name) => foldName(name.replace(/\.md$/i, ""))));
        const name = planName(memory.title, type, taken);
        const place = { ...memory, name, isArchived: false, modifiedMs: clock.now() };
        const reading = files.parseMemoryFile(Buffer.from(contents), place);
        if (reading.kind === "problem") return refuse(reading.what);
        const path = formatPath({ type, name, isArchived: false });
        await desk.write(path, undefined, contents, cause);
        return finish(standing, path, reading.memory);
      });
    },

    async adopt({ contents, id, isArchived }, cause) {
      const place = parseID(id);
      if (!place) return refuse(missing(id));
      const fault = findNameFault(place.name);
      if (fault !== undefined) return refuse(`${quotePath(id)} is no id of a memory: ${fault}`);
      const { parseMemoryFile } = await import("../memory-file.js");
      const reading = parseMemoryFile(Buffer.from(contents), {
        ...place,
        isArchived,
        modifiedMs: clock.now(),
      });
      if (reading.kind === "problem") return refuse(reading.what);
      // All of the text is looked through: a comment in the fields is in the file as well.
      const whole = { ...reading.memory, content: contents };
      const why = findHint(whole) ?? (await gate?.(whole));
      if (why !== undefined) return refuse(why);
      const standing = findStanding(standings, place);
      return standing.shelf.change(async (desk) => {
        const [active, archived] = pathsOf(place);
        for (const path of [active, archived]) {
          const looked = await desk.open(path);
          if (looked?.text === contents)
            return { kind: "unchanged", memory: reading.memory, path: join(standing.shelf.folder, path) };
          if (looked)
            return refuse(`${join(standing.shelf.folder, path)} is there already and says otherwise`);
        }
        const path = isArchived ? archived : active;
        const link = await findLinkOn(desk, path);
        if (link) return refuse(link);
        await desk.write(path, undefined, contents, cause);
        return finish(standing, path, reading.memory);
      });
    },

    update: (id, change, cause) => at(id, (target) => rewrite(target, change, cause)),

    archive(id, cause) {
      return at(id, async (target) => {
        if (target.memory.status === "archived") return unchanged(target);
        return (await findSecret(target)) ?? move(target, { isArchived: true }, cause);
      });
    },

    restore(id, cause) {
      return at(id, async (target) => {
        if (target.memory.status !== "archived") return unchanged(target);
        return (await findSecret(target)) ?? move(target, { isArchived: false }, cause);
      });
    },

    /** What was opened is in the ledger: a file that was changed by hand is entered first. */
    discard(id, cause) {
      return at(id, async (target) => {
        const { desk, looked, memory, path, standing } = target;
        if (memory.status !== "archived") return refuse(`${id} is in use; archive it first`);
        const refusal = await findSecret(target);
        if (refusal) return refusal;
        await desk.discard(looked, cause);
        return finish(standing, path, memory);
      });
    },
  };

  /** Runs `action` under the lock with the memory of this id, or says why there is none. */
  async function at(id: string, action: (target: Target) => Promise<Written>): Promise<Written> {
    const place = parseID(id);
    if (!place) return refuse(missing(id));
    const standing = findStanding(standings, place);
    // Who asks for what is not there makes no lock and no folder.
    const isThere = await Promise.all(pathsOf(place).map((path) => standing.shelf.look(path)));
    if (isThere.every((looked) => looked === undefined)) return refuse(missing(id));
    return standing.shelf.change(async (desk) => {
      for (const path of pathsOf(place)) {
        const looked = await desk.open(path);
        if (!looked) continue;
        const { reading } = looked;
        const file = join(standing.shelf.folder, path);
        const problem = findProblem(looked) ?? (await findLinkOn(desk, path));
        if (problem) return refuse(`${file} is left as it is: ${problem}`);
        if (reading.kind === "memory")
          return action({ standing, desk, path, looked, memory: reading.memory });
      }
      return refuse(missing(id));
    });
  }

  /** The memory that says the same already, those included that somebody else has written since the last look. */
  async function findKnown(standing: Standing, desk: Desk, memory: Memory): Promise<Target | undefined> {
    const { type } = memory;
    const read = new Set(standing.shelf.entries().map(({ path }) => path));
    for (const name of await desk.names(type)) {
      const path = join(type, name);
      if (!read.has(path)) await standing.shelf.look(path);
    }
    const same = findSameSentence(memory, standing.shelf.memories());
    const place = same && parseID(same.id);
    if (!place) return undefined;
    const path = formatPath({ ...place, isArchived: false });
    const looked = await desk.open(path);
    if (looked?.reading.kind !== "memory" || findProblem(looked) || (await findLinkOn(desk, path)))
      return undefined;
    // Somebody may be changing it with an editor just now.
    const current = findSameSentence(memory, [looked.reading.memory]);
    return current && { standing, desk, path, looked, memory: current };
  }

  /** One memory, with a use more. */
  async function sayAgain(target: Target, said: Memory, cause: Cause): Promise<Written> {
    const written = await rewrite(target, (current) => takeInAgain(current, said), cause);
    if (written.kind === "refused") return written;
    onSaidAgain(target.memory.id);
    return { ...written, isKnown: true };
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
    const { standing, desk, path, looked, memory } = target;
    const next = change(memory);
    if (!next) return unchanged(target);
    const why = findMove(memory, next) ?? (await findWhy(next));
    if (why) return refuse(why);
    const { formatMemoryFile, parseMemoryFile } = await import("../memory-file.js");
    const { updated } = memory;
    if (formatMemoryFile({ ...next, updated }, looked.text) === formatMemoryFile(memory, looked.text))
      return unchanged(target);
    const now = new Date(clock.now()).toISOString();
    const contents = formatMemoryFile({ ...next, updated: now }, looked.text);
    const place = { ...(parseID(memory.id) as Place), isArchived: memory.status === "archived" };
    const reading = parseMemoryFile(Buffer.from(contents), { ...place, modifiedMs: clock.now() });
    if (reading.kind === "problem") return refuse(reading.what);
    await desk.write(path, looked, contents, cause);
    return finish(standing, path, reading.memory);
  }

  async function move(
    target: Target,
    { isArchived }: { isArchived: boolean },
    cause: Cause,
  ): Promise<Written> {
    const { standing, desk, looked, memory } = target;
    const own = parseID(memory.id) as Place;
    const to = formatPath({ ...own, isArchived });
    const inTheWay = (await desk.open(to)) ? join(standing.shelf.folder, to) : await desk.findLink(to);
    if (inTheWay) return refuse(`${inTheWay} is in the way; rename or remove it`);
    await desk.move(looked, to, cause);
    const { parseMemoryFile } = await import("../memory-file.js");
    const place = { ...own, isArchived, modifiedMs: looked.modifiedMs };
    const moved = parseMemoryFile(Buffer.from(looked.text ?? ""), place);
    return finish(standing, to, moved.kind === "memory" ? moved.memory : memory);
  }

  function finish(standing: Standing, path: string, memory: Memory): Written {
    onWritten(standing, [memory.id]);
    return { kind: "written", memory, path: join(standing.shelf.folder, path) };
  }
}

function unchanged({ standing, memory, path }: Target): Written {
  return { kind: "unchanged", memory, path: join(standing.shelf.folder, path) };
}

const refuse = (why: string): Written => ({ kind: "refused", why });

const missing = (id: string): string =>
  `there is no memory ${JSON.stringify(id)}; ids look like decision/port-8080 or ${formatPrefix({ scope: "global", sensitivity: "private" })}preference/tone`;

function findProblem({ path, reading }: Looked): string | undefined {
  if (reading.kind === "problem") return reading.what;
  const fault = findPathFault(path);
  return fault && `${fault}, so it has no history and is not changed; give it another name`;
}

async function findLinkOn(desk: Desk, path: string): Promise<string | undefined> {
  const link = await desk.findLink(path);
  return link && `${link} is a link, and links are not followed`;
}
