/** Writes memory files from elsewhere byte for byte, several hundred in one step on disk. */
import { basename, dirname, join } from "node:path";
import { hashOf } from "../../../base/hash.js";
import type { Clock } from "../../../io/clock.js";
import { findHint, type MemoryGate } from "../../draft.js";
import { type Memory, type Place, parseID } from "../../memory.js";
import type { FileReading } from "../../memory-file.js";
import { findNameFault, foldName, quotePath } from "../../path.js";
import { findStanding, listKeptOut, pathsOf, type Standing } from "../change-all.js";
import type { Readings } from "../entries.js";
import type { Cause } from "../ledger-line.js";
import type { TransactionStep } from "../line-writer.js";
import type { MemoryCopy, OpenMemories, Written } from "../store.js";
import type { Transaction } from "../transaction.js";
import { findLinkOn, missing, refuse } from "./edits.js";

export type Copies = Pick<OpenMemories, "adopt" | "adoptAll">;

export interface CopiesOptions {
  clock: Clock;
  standings: readonly Standing[];
  gate: MemoryGate | undefined;
  finish(standing: Standing, path: string, memory: Memory): Written;
}

/** A copy that may be written if its path is free. */
interface Checked {
  /** Its index in the input. */
  index: number;
  copy: MemoryCopy;
  memory: Memory;
  /** Absent if the reading depends on the file's time. */
  reading?: FileReading;
  place: Place;
  standing: Standing;
}

/** Limits the size of a step: each line of `pending.json` holds a whole memory. */
const AT_A_TIME = 250;

export function createCopies({ clock, finish, gate, standings }: CopiesOptions): Copies {
  return {
    async adopt(copy, cause) {
      const [written] = await adoptSome([copy], listKeptOut(standings), cause);
      return written ?? refuse(missing(copy.id));
    },

    async adoptAll(copies, cause, onProgress) {
      const written: Written[] = [];
      const places = copies.flatMap(({ id }) => parseID(id) ?? []);
      // Records files that a person has removed, so that a name that no folder lists is free; `list` already does that.
      for (const standing of new Set(places.map((place) => findStanding(standings, place))))
        if (standing.collection.entries().length === 0) await standing.collection.scan();
      const keptOut = new Set(listKeptOut(standings));
      for (let from = 0; from < copies.length; from += AT_A_TIME) {
        const some = await adoptSome(copies.slice(from, from + AT_A_TIME), keptOut, cause);
        for (const one of some)
          if (one.kind === "written" && one.memory.isKeptOut) keptOut.add(one.memory.id);
        written.push(...some);
        onProgress?.(written.length);
      }
      return written;
    },
  };

  async function adoptSome(
    copies: readonly MemoryCopy[],
    keptOut: ReadonlySet<string>,
    cause: Cause,
  ): Promise<Written[]> {
    const written: Written[] = [];
    const checked: Checked[] = [];
    for (const [index, copy] of copies.entries()) {
      const one = await checkCopy(copy, keptOut, { clock, gate, standings });
      if ("why" in one) written[index] = refuse(one.why);
      else checked.push({ ...one, copy, index });
    }
    for (const standing of new Set(checked.map((one) => one.standing))) {
      const own = checked.filter((one) => one.standing === standing);
      for (const [index, result] of await write(standing, own, cause)) written[index] = result;
    }
    return written;
  }

  /** Results by index. */
  async function write(
    standing: Standing,
    checked: readonly Checked[],
    cause: Cause,
  ): Promise<Map<number, Written>> {
    const { folder } = standing.collection;
    return standing.collection.change(async (transaction) => {
      const written = new Map<number, Written>();
      const steps: TransactionStep[] = [];
      const ready: (Checked & { path: string })[] = [];
      const planned = new Map<string, string>();
      const look = createLook(transaction, planned);
      for (const one of checked) {
        const { copy, memory, place } = one;
        const [active, archived] = pathsOf(place);
        const path = copy.isArchived ? archived : active;
        const link = await look.findLink(path);
        const there = link === undefined ? await look.find([active, archived]) : undefined;
        if (there && there.text === copy.contents)
          written.set(one.index, { kind: "unchanged", memory, path: join(folder, there.path) });
        else if (there)
          written.set(one.index, refuse(`${join(folder, there.path)} is there already and says otherwise`));
        else if (link) written.set(one.index, refuse(link));
        else {
          planned.set(path, copy.contents);
          steps.push({ path, before: null, contents: copy.contents, cause });
          ready.push({ ...one, path });
        }
      }
      await transaction.changeAll(steps, listReadings(ready));
      for (const { index, memory, path } of ready) written.set(index, finish(standing, path, memory));
      return written;
    });
  }
}

/** Reads a copy and decides whether, or why not, it may be written. `keptOut` as for `findHint`. */
async function checkCopy(
  { contents, id, isArchived }: MemoryCopy,
  keptOut: ReadonlySet<string>,
  { clock, gate, standings }: Pick<CopiesOptions, "clock" | "gate" | "standings">,
): Promise<Omit<Checked, "copy" | "index"> | { why: string }> {
  const place = parseID(id);
  if (!place) return { why: missing(id) };
  const fault = findNameFault(place.name);
  if (fault !== undefined) return { why: `${quotePath(id)} is not the id of a memory: ${fault}` };
  const { parseMemoryFile } = await import("../../memory-file.js");
  const modifiedMs = clock.now();
  const reading = parseMemoryFile(Buffer.from(contents), { ...place, isArchived, modifiedMs });
  if (reading.kind === "problem") return { why: reading.what };
  // Checks the whole text: comments among the fields are in the file as well.
  const whole = { ...reading.memory, content: contents };
  const standing = findStanding(standings, place);
  const isKeptOut = standing.keepOut?.covers(place.type) && { isKeptOut: true as const };
  const why = findHint({ ...whole, ...isKeptOut }, keptOut) ?? (await gate?.(whole));
  if (why !== undefined) return { why };
  return { memory: reading.memory, place, standing, ...(isDated(reading, modifiedMs) && { reading }) };
}

/** True if the file itself states when it was written and changed, so that its time does not matter. */
const isDated = (reading: FileReading, modifiedMs: number): boolean =>
  reading.kind === "memory" &&
  reading.memory.isUndated !== true &&
  reading.memory.updated !== new Date(modifiedMs).toISOString();

function listReadings(ready: readonly (Checked & { path: string })[]): Readings {
  return new Map(
    ready.flatMap(({ copy, path, reading }) =>
      reading ? [[path, { hash: hashOf(copy.contents), reading }] as const] : [],
    ),
  );
}

interface Look {
  /** The file at a memory's path, on disk or planned. */
  find(paths: readonly string[]): Promise<{ path: string; text: string | undefined } | undefined>;
  /** The refusal if the folder of this path is a link. */
  findLink(path: string): Promise<string | undefined>;
}

/** Lists each folder once, because most copies have a free path. `planned`: the texts of this step, by path. */
function createLook(transaction: Transaction, planned: ReadonlyMap<string, string>): Look {
  const links = new Map<string, Promise<string | undefined>>();
  const names = new Map<string, Promise<ReadonlySet<string>>>();

  return {
    async find(paths) {
      for (const path of paths) {
        const text = planned.get(path);
        if (text !== undefined) return { path, text };
        const folder = dirname(path);
        const known = names.get(folder) ?? list(folder);
        names.set(folder, known);
        if (!(await known).has(foldName(basename(path)))) continue;
        const looked = await transaction.open(path);
        if (looked) return { path, text: looked.text };
      }
      return undefined;
    },

    findLink(path) {
      const folder = dirname(path);
      const found = links.get(folder) ?? findLinkOn(transaction, folder);
      links.set(folder, found);
      return found;
    },
  };

  async function list(folder: string): Promise<ReadonlySet<string>> {
    return new Set((await transaction.names(folder)).map(foldName));
  }
}
