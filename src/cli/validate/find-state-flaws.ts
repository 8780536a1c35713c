/** What a process that was killed has left behind, and machine state that nobody can use. Pure. */
import { dirname, join } from "node:path";
import { hidesAll } from "../../git-ignore.js";
import { formatBegun } from "../../memory/store/journal.js";
import type { ShelfPlace } from "../../memory/store/places.js";
import { type Flaw, type Mend, note, problem, rebuildIndex, warning } from "./flaw.js";
import { isEmpty, type ShelfState } from "./shelf-state.js";

export function findStateFlaws(shelf: ShelfState): Flaw[] {
  return [
    ...findPendingFlaws(shelf),
    ...findSetAside(shelf),
    ...findTemporaries(shelf),
    ...findKnownFlaws(shelf),
    ...findHidingFlaws(shelf),
  ];
}

/** While somebody holds the lock, a change that is not finished is one that is being made. */
function findPendingFlaws({ lock, pending, place }: ShelfState): Flaw[] {
  if (pending === undefined || (lock.kind === "held" && lock.token)) return [];
  const file = join(place.state, "pending.json");
  if (pending.kind === "refused")
    return [
      problem({
        file,
        what: `it is no change that was begun, and nothing of it is done: ${pending.why}`,
        todo: "nothing; the next change sets it aside under another name",
        mends: [{ kind: "set aside", path: file, place, says: "sets it aside under another name" }],
      }),
    ];
  const what = formatBegun(pending.pending.lines);
  return [
    warning({
      file,
      what: `${what} was begun and not finished`,
      todo: "nothing; it is finished with the next change",
      mends: [{ kind: "settle", place, says: `finishes ${what}` }, rebuildIndex(place)],
    }),
  ];
}

function findSetAside({ setAside }: ShelfState): Flaw[] {
  return setAside.map((file) =>
    warning({
      file,
      what: "it was refused as a change that was begun, and nothing of it was done",
      todo: "look where it comes from, a repository perhaps, and delete it",
    }),
  );
}

/** `<file>.<number>` and `<file>.<uuid>`: as files are written before they get their name. */
const TEMPORARY = /\.(md|jsonl|gitignore|gitattributes)\.(\d+|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

function findTemporaries({ names, place }: ShelfState): Flaw[] {
  return [...names].flatMap(([path, { kind, modifiedMs }]) => {
    if (kind !== "file" || !TEMPORARY.test(path)) return [];
    const file = join(place.folder, path);
    return [
      warning({
        file,
        what: "what a process that was killed has left of a file it was writing",
        todo: "delete it; the file itself is whole",
        mends: [{ kind: "remove", path: file, modifiedMs, place, says: "removes it" }],
      }),
    ];
  });
}

/** What was written down at an earlier start is believed where a file has the same size and time. */
function findKnownFlaws({ known, looked, place }: ShelfState): Flaw[] {
  const file = join(place.state, "known.jsonl");
  const mends: Mend[] = [
    { kind: "remove", path: file, modifiedMs: Number.NaN, place, says: "removes it; it is made anew" },
  ];
  if (known === "unreadable")
    return [
      note({ file, what: "it cannot be used as it is, so a start takes longer", todo: "nothing", mends }),
    ];
  const hashes = new Map(known.map((one) => [one.path, one]));
  const wrong = looked.find(({ bytes, hash, modifiedMs, path }) => {
    const one = hashes.get(path);
    return one && one.bytes === bytes && one.modifiedMs === modifiedMs && one.hash !== hash;
  });
  if (!wrong) return [];
  const what = `it has another version of ${wrong.path} than the file, and is believed`;
  return [problem({ file, what, todo: "delete it; it is made anew", mends })];
}

/** Private memories lie where git ignores everything. */
function findHidingFlaws(shelf: ShelfState): Flaw[] {
  const { ignored, place } = shelf;
  if (place.sensitivity !== "private" || isEmpty(shelf) || hidesAll(ignored ?? "")) return [];
  const file = join(place.folder, ".gitignore");
  const what =
    ignored === undefined
      ? "it is missing: private memories would be committed"
      : "it does not keep the whole folder out of git: private memories would be committed";
  const todo = "put the line * at its end; git rm --cached what was committed already";
  const says = ignored === undefined ? "writes it with the line *" : "adds the line * at its end";
  const mends: Mend[] = [{ kind: "hide", path: file, rules: ["*"], says }];
  return [problem({ file, what, todo, mends })];
}

/** The folder of the project or the user in which this place's machine state lies. */
export const stateOf = ({ state }: ShelfPlace): string => dirname(dirname(state));
