/** What killed processes left behind, and invalid machine state. Pure. */
import { dirname, join } from "node:path";
import { hidesAll } from "../../git-ignore.js";
import { formatBegun } from "../../memory/store/journal.js";
import type { ShelfPlace } from "../../memory/store/places.js";
import { REFUSED_CHANGE } from "../doctor/set-aside.js";
import { type Fix, type Issue, note, problem, rebuildIndex, warning } from "./issue.js";
import { isEmpty, type ShelfState } from "./shelf-state.js";

export function findStateIssues(shelf: ShelfState): Issue[] {
  return [
    ...findPendingIssues(shelf),
    ...findSetAside(shelf),
    ...findTemporaries(shelf),
    ...findKnownIssues(shelf),
    ...findHidingIssues(shelf),
  ];
}

/** While somebody holds the lock, a pending change is still being made. */
function findPendingIssues({ lock, pending, place }: ShelfState): Issue[] {
  if (pending === undefined || (lock.kind === "held" && lock.token)) return [];
  const file = join(place.state, "pending.json");
  if (pending.kind === "refused")
    return [
      problem({
        file,
        what: `it is not a valid pending change, and nothing of it is done: ${pending.why}`,
        todo: "nothing; the next change renames it",
        fixes: [{ kind: "set aside", path: file, place, says: "rename it" }],
      }),
    ];
  const { lines, received } = pending.pending;
  const what = formatBegun([...(received?.steps ?? []), ...lines]);
  return [
    warning({
      file,
      what: `${what} was started but not finished`,
      todo: "nothing; the next change finishes it",
      fixes: [{ kind: "settle", place, says: `finish ${what}` }, rebuildIndex(place)],
    }),
  ];
}

function findSetAside({ setAside }: ShelfState): Issue[] {
  return setAside.map((file) =>
    warning({ file, what: `it ${REFUSED_CHANGE.what}`, todo: REFUSED_CHANGE.todo }),
  );
}

/** `<file>.<number>` and `<file>.<uuid>`: a file is written under such a name, then renamed. */
const TEMPORARY = /\.(md|jsonl|gitignore|gitattributes)\.(\d+|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

function findTemporaries({ names, place }: ShelfState): Issue[] {
  return [...names].flatMap(([path, { kind, modifiedMs }]) => {
    if (kind !== "file" || !TEMPORARY.test(path)) return [];
    const file = join(place.folder, path);
    return [
      warning({
        file,
        what: "it is half of a file, left by a process that was killed",
        todo: "delete it; the file itself is intact",
        fixes: [{ kind: "remove", path: file, modifiedMs, place, says: "remove it" }],
      }),
    ];
  });
}

/** The cache of an earlier start is used for files of the same size and time. */
function findKnownIssues({ known, looked, place }: ShelfState): Issue[] {
  const file = join(place.state, "known.jsonl");
  const fixes: Fix[] = [
    { kind: "remove", path: file, modifiedMs: Number.NaN, place, says: "remove it; it is written again" },
  ];
  if (known === "unreadable")
    return [note({ file, what: "it cannot be used, so the next start is slower", todo: "nothing", fixes })];
  const hashes = new Map(known.map((one) => [one.path, one]));
  const wrong = looked.find(({ bytes, hash, modifiedMs, path }) => {
    const one = hashes.get(path);
    return one && one.bytes === bytes && one.modifiedMs === modifiedMs && one.hash !== hash;
  });
  if (!wrong) return [];
  const what = `it has an outdated version of ${wrong.path}, which is used instead of the file`;
  return [problem({ file, what, todo: "delete it; it is written again", fixes })];
}

/** In the folder of private memories git ignores everything. */
function findHidingIssues(shelf: ShelfState): Issue[] {
  const { ignored, place } = shelf;
  if (place.sensitivity !== "private" || isEmpty(shelf) || hidesAll(ignored ?? "")) return [];
  const file = join(place.folder, ".gitignore");
  const what =
    ignored === undefined
      ? "it is missing: private memories would be committed"
      : "it does not keep the whole folder out of git: private memories would be committed";
  const todo = "add the line * at its end, and git rm --cached what is already committed";
  const says = ignored === undefined ? "create it with the line *" : "add the line * at its end";
  const fixes: Fix[] = [{ kind: "hide", path: file, rules: ["*"], says }];
  return [problem({ file, what, todo, fixes })];
}

/** The folder with the machine state of the project or user that this place belongs to. */
export const stateOf = ({ state }: ShelfPlace): string => dirname(dirname(state));
