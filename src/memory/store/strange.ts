import { parsePath } from "../path.js";
import type { Entries } from "./entries.js";
import type { Ledger } from "./ledger.js";

/** Paths of files that are others than the ledger knows, and of those that it knows and that are gone. Pure. */
export function findStrange(entries: Entries, ledger: Ledger): string[] {
  const changed = entries
    .all()
    .filter(({ path, hash, reading }) => reading.kind === "memory" && ledger.known(path)?.hash !== hash)
    .map(({ path }) => path)
    .filter((path) => parsePath(path) !== undefined);
  const gone = [...ledger.paths()].filter((path) => !entries.get(path) && ledger.known(path)?.hash !== null);
  return [...changed, ...gone];
}
