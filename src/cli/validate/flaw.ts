/** What can be wrong with the files of a memory, and what can be done about it without losing anything. */
import { relative } from "node:path";
import type { ShelfPlace } from "../../memory/store/places.js";
import type { Finding } from "../doctor/finding.js";

/** Something about one file that wants a look. */
export interface Flaw extends Finding {
  /** Absolute path. */
  file: string;
  /** What a person can do. */
  todo: string;
  /** What `strata optimize --execute` does; absent where a person has to decide. */
  mends?: readonly Mend[];
}

/** A step that loses nothing. `says` is the sentence for it. */
export type Mend = { says: string } & (
  | { kind: "unlock"; path: string }
  | { kind: "remove"; path: string; modifiedMs: number; place: ShelfPlace }
  /** Completes this `.gitignore`. */
  | { kind: "hide"; path: string; rules: readonly string[] }
  /** Gives a half-done change that is none another name. */
  | { kind: "set aside"; path: string; place: ShelfPlace }
  /** Enters in the ledger what was done by hand, when a change that was begun is finished. */
  | { kind: "settle"; place: ShelfPlace }
  | { kind: "archive"; id: string }
  | { kind: "index"; place: ShelfPlace }
);

type Given = Omit<Flaw, "level" | "mends"> & { mends?: readonly Mend[] | undefined };

const create = (level: Flaw["level"], { mends, ...flaw }: Given): Flaw => ({
  level,
  ...flaw,
  ...(mends !== undefined && { mends }),
});

/** Something does not work as it is. */
export const problem = (flaw: Given): Flaw => create("problem", flaw);
/** It works, and wants looking after. */
export const warning = (flaw: Given): Flaw => create("warning", flaw);
/** Worth knowing, and as it may be. */
export const note = (flaw: Given): Flaw => create("note", flaw);

/** The step that writes an index anew. */
export const rebuildIndex = (place: ShelfPlace): Mend => ({
  kind: "index",
  place,
  says: "writes MEMORY.md anew from the files",
});

/** The file as a person in this project would write it. */
export function formatPath(file: string, project: string): string {
  const inside = relative(project, file);
  return inside.startsWith("..") ? file : inside;
}

/** "2 problems, 1 warning" */
export function countFlaws(flaws: readonly Flaw[]): string {
  const counts = (["problem", "warning", "note"] as const).map((level) => {
    const count = flaws.filter((flaw) => flaw.level === level).length;
    return count === 0 ? [] : [`${count} ${level}${count === 1 ? "" : "s"}`];
  });
  return counts.flat().join(", ") || "nothing wrong";
}
