/**
 * The machine's record of a project its user has worked in: an id and an old snapshot of its folders. With it a test's
 * files are the user's own; without it they came with the repository.
 */
import { join } from "node:path";
import { rules } from "./disk-rules.js";

const ID = "0123456789abcdef0123456789abcdef";
const SHELVES = ["", "private/"];

/** Texts by absolute path. `idFolder`: the git directory, else `.opencode/strata`; `id`: 32 hex digits. */
export function planKnownProject(places: {
  root: string;
  idFolder: string;
  stateFolder: string;
  id?: string;
}): Record<string, string> {
  const { id = ID, idFolder, stateFolder } = places;
  const root = rules.toNative(places.root);
  const looks = SHELVES.map((collection) => ({ v: 1, op: "look", root, collection, at: -1 }));
  const lines = [{ v: 1, op: "root", root }, ...looks];
  return {
    [join(idFolder, "opencode-strata-id")]: `${id}\n`,
    [join(stateFolder, "trust", `${id}.jsonl`)]: lines.map((line) => `${JSON.stringify(line)}\n`).join(""),
  };
}
