/** What the store answers from its shelves without changing them. */
import { join } from "node:path";
import { parseID } from "../id.js";
import type { Memory } from "../memory.js";
import type { FileProblem, OpenMemories } from "../store.js";
import type { Changes } from "./changes.js";
import { sortByTime } from "./ledger-line.js";
import { isOn, type Standing } from "./standing.js";

type Reads = Pick<OpenMemories, "foreign" | "history" | "isDeciding" | "known" | "locate" | "problems">;

/** `find` is the one of `Changes`. */
export function createReads(standings: readonly Standing[], find: Changes["find"]): Reads {
  let seen: { lists: (readonly Memory[])[]; current: readonly Memory[] } | undefined;

  return {
    problems: () => standings.flatMap(findProblems),
    isDeciding: () => standings.some(({ shelf }) => shelf.isDeciding()),
    foreign: () => standings.flatMap(({ shelf }) => shelf.memories().filter(({ isForeign }) => isForeign)),

    /** Asked in hooks, so the list is built only after a change. */
    known() {
      const lists = standings.map(({ shelf }) => shelf.memories());
      if (!seen || lists.some((list, n) => list !== seen?.lists[n]))
        seen = { lists, current: lists.flat().filter(isCurrent) };
      return seen.current;
    },

    async locate(id) {
      const [found, standing] = [await find(id), standingOf(id)];
      return found && standing && join(standing.place.folder, found.path);
    },

    async history(id) {
      const standing = standingOf(id);
      const lines = (await standing?.shelf.readLedger()) ?? [];
      return sortByTime(lines.filter(({ key }) => key === id));
    },
  };

  function standingOf(id: string): Standing | undefined {
    const place = parseID(id);
    return place && standings.find((one) => isOn(one, place));
  }
}

export const isCurrent = ({ status }: Memory): boolean => status === "active" || status === "resolved";

export function findProblems({ shelf }: Standing): FileProblem[] {
  return shelf
    .entries()
    .flatMap(({ path, reading }) =>
      reading.kind === "problem" ? [{ path: join(shelf.folder, path), what: reading.what }] : [],
    );
}
