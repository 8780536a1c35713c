/** The entries of shared state that are not this machine's: found, and moved to a folder that nobody reads. */
import { basename, dirname, join } from "node:path";
import type { Log } from "../record/log.js";
import { type Files, readText } from "../seams/files.js";
import { isSharedName, SHARED_WITHIN } from "./shared-state.js";

/** Every call rejects with the system's error. */
export interface SharedEntries {
  /** Their names in the folder of the state. */
  list(): Promise<string[]>;
  /** Where no machine's ID stood with them, what can do no harm is kept. */
  setAside(isWithoutOwner: boolean): Promise<void>;
}

export interface SharedEntriesOptions {
  files: Files;
  /** By name, the part of a shared file that can do no harm whoever wrote it; of other files nothing is kept. */
  harmless: Readonly<Record<string, (text: string) => string | undefined>>;
  log: Log;
  state: string;
}

/** Between the name of the folder of machine state and a number. */
export const SET_ASIDE = ".foreign-";
const MOST_SET_ASIDE = 1_000;

export function createSharedEntries({ files, harmless, log, state }: SharedEntriesOptions): SharedEntries {
  return {
    list,

    async setAside(isWithoutOwner) {
      const folder = await findFree();
      const names = await list();
      for (const name of names) await files.rename(join(state, name), join(folder, name));
      if (isWithoutOwner) for (const name of names) await keepHarmless(name, join(folder, name));
      log.warn(
        "owner",
        `${names.length} entries of ${state} are not known to be of this machine, or are of a version that did not note it: they are set aside in ${folder}, not read any more, and may be deleted`,
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

  async function keepHarmless(name: string, from: string): Promise<void> {
    const keep = harmless[name];
    const isFile = keep && (await files.statItself(from))?.kind === "file";
    const text = isFile ? await readText(files, from) : undefined;
    const kept = text === undefined ? undefined : keep?.(text);
    if (kept !== undefined) await files.writeWhole(join(state, name), kept);
  }

  async function findFree(): Promise<string> {
    for (let n = 1; n <= MOST_SET_ASIDE; n++) {
      const folder = join(dirname(state), `${basename(state)}${SET_ASIDE}${n}`);
      if (!(await files.statItself(folder))) return folder;
    }
    throw new Error(`there are ${MOST_SET_ASIDE} folders ${basename(state)}${SET_ASIDE}<n>; delete them`);
  }
}
