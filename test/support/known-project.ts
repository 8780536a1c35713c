/**
 * What this machine knows of a project in which its user has worked with Strata before, so that the files of a test are
 * the user's own: an id, and a look at its folders long ago. Without it all of them came with the repository.
 */
import { join } from "node:path";

const ID = "0123456789abcdef0123456789abcdef";
const SHELVES = ["", "private/"];

/** Texts by absolute path. `idFolder`: the git directory, or `.opencode/strata` where there is none; `id`: 32 hex digits. */
export function planKnownProject(places: {
  root: string;
  idFolder: string;
  stateFolder: string;
  id?: string;
}): Record<string, string> {
  const { id = ID, idFolder, root, stateFolder } = places;
  const looks = SHELVES.map((shelf) => ({ v: 1, op: "look", root, shelf, at: -1 }));
  const lines = [{ v: 1, op: "root", root }, ...looks];
  return {
    [join(idFolder, "opencode-strata-id")]: `${id}\n`,
    [join(stateFolder, "trust", `${id}.jsonl`)]: lines.map((line) => `${JSON.stringify(line)}\n`).join(""),
  };
}
