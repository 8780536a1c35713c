/** The entries of shared state that came from elsewhere: lists them, and moves them to a folder that is never read. */
import { basename, dirname, join } from "node:path";
import type { Log } from "../record/log.js";
import type { Files } from "../seams/files.js";
import { isSharedName, SHARED_WITHIN } from "./shared-state.js";

/** Every call rejects with the system's error. */
export interface SharedEntries {
  /** Their names in the folder of the state. */
  list(): Promise<string[]>;
  setAside(): Promise<void>;
}

export interface SharedEntriesOptions {
  files: Files;
  log: Log;
  state: string;
}

/** Between the name of the folder of machine state and a number. */
export const SET_ASIDE = ".foreign-";
const MOST_SET_ASIDE = 1_000;

export function createSharedEntries({ files, log, state }: SharedEntriesOptions): SharedEntries {
  return {
    list,

    async setAside() {
      const folder = await findFree();
      const names = await list();
      for (const name of names) await files.rename(join(state, name), join(folder, name));
      log.warn(
        "owner",
        `${names.length} entries of ${state} did not come from this machine: they are moved to ${folder}, not read any more, and may be deleted`,
      );
    },
  };

  async function list(): Promise<string[]> {
    const found = await files.statItself(state);
    if (!found) return [];
    if (found.kind !== "folder") throw new Error(`expected a folder, and it is a ${found.kind}`);
    const names = (await files.list(state)).filter(isSharedName);
    const within = await Promise.all(
      SHARED_WITHIN.map(async (path) => ((await files.statItself(join(state, path))) ? [path] : [])),
    );
    return [...names, ...within.flat()];
  }

  async function findFree(): Promise<string> {
    for (let n = 1; n <= MOST_SET_ASIDE; n++) {
      const folder = join(dirname(state), `${basename(state)}${SET_ASIDE}${n}`);
      if (!(await files.statItself(folder))) return folder;
    }
    throw new Error(`there are ${MOST_SET_ASIDE} folders ${basename(state)}${SET_ASIDE}<n>; delete them`);
  }
}
