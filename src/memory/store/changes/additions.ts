/** Adds memories: what is to be remembered, and whole files from elsewhere. */
import { join } from "node:path";
import type { Clock } from "../../../seams/clock.js";
import { findHint, planMemory, withoutHints } from "../../draft.js";
import { parseID } from "../../id.js";
import type { Memory } from "../../memory.js";
import { findNameFault, foldName, planName } from "../../name.js";
import { ARCHIVE, formatPath, quotePath } from "../../path.js";
import { findSameSentence, takeInAgain } from "../../same-sentence.js";
import type { MemoryGate } from "../../secret-gate.js";
import type { MemoryCopy, MemoryStore, Written } from "../../store.js";
import type { Desk } from "../desk.js";
import type { Cause } from "../ledger-line.js";
import { findStanding, listKeptOut, pathsOf, type Standing } from "../standing.js";
import type { Edits } from "./edits.js";
import { findLinkOn, findProblem, missing, refuse, type Target } from "./target.js";

export interface Additions extends Pick<MemoryStore, "remember"> {
  adopt(file: MemoryCopy, cause: Cause): Promise<Written>;
}

export interface AdditionsOptions {
  clock: Clock;
  standings: readonly Standing[];
  gate: MemoryGate | undefined;
  /** Why this memory may not be written. */
  findWhy(memory: Memory): Promise<string | undefined>;
  finish(standing: Standing, path: string, memory: Memory): Written;
  rewrite: Edits["rewrite"];
  onSaidAgain(id: string): void;
}

export function createAdditions(options: AdditionsOptions): Additions {
  const { clock, findWhy, finish, gate, onSaidAgain, rewrite, standings } = options;
  return {
    async remember(draft, cause) {
      const files = await import("../../memory-file.js");
      const planned = planMemory(draft, files.readTitle, cause.saidMs ?? clock.now());
      const standing = findStanding(standings, planned);
      await standing.shelf.scan();
      const { keepOut } = standing;
      const kept = keepOut?.covers(planned.type) ? { ...planned, isKeptOut: true as const } : planned;
      const memory = withoutHints(kept, listKeptOut(standings));
      const why = await findWhy(memory);
      if (why) return refuse(why);
      const contents = files.formatMemoryFile(memory);
      return standing.shelf.change(async (desk) => {
        const { type } = memory;
        const known = await findKnown(standing, desk, memory);
        if (known) return sayAgain(known, memory, cause);
        const link = (await desk.findLink(type)) ?? (await desk.findLink(join(ARCHIVE, type)));
        if (link) return refuse(`${link} is a link, and links are not followed; put the folder itself there`);
        const names = [...(await desk.names(type)), ...(await desk.names(join(ARCHIVE, type)))];
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
        await desk.write(path, undefined, contents, cause);
        return finish(standing, path, reading.memory);
      });
    },

    async adopt({ contents, id, isArchived }, cause) {
      const place = parseID(id);
      if (!place) return refuse(missing(id));
      const fault = findNameFault(place.name);
      if (fault !== undefined) return refuse(`${quotePath(id)} is no id of a memory: ${fault}`);
      const { parseMemoryFile } = await import("../../memory-file.js");
      const reading = parseMemoryFile(Buffer.from(contents), {
        ...place,
        isArchived,
        modifiedMs: clock.now(),
      });
      if (reading.kind === "problem") return refuse(reading.what);
      // All of the text is looked through: a comment in the fields is in the file as well.
      const whole = { ...reading.memory, content: contents };
      const standing = findStanding(standings, place);
      const isKeptOut = standing.keepOut?.covers(place.type) && { isKeptOut: true as const };
      const why = findHint({ ...whole, ...isKeptOut }, listKeptOut(standings)) ?? (await gate?.(whole));
      if (why !== undefined) return refuse(why);
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
