/** Memory files read without opening the store, so that nothing is written. */
import type { Files } from "../io/files.js";
import type { Log } from "../io/log.js";
import { openLedger } from "../memory/store/collection.js";
import type { LedgerLine } from "../memory/store/ledger.js";
import {
  type CollectionPlace,
  createEntries,
  type Looked,
  listPaths,
  planPlaces,
} from "../memory/store/scan.js";
import type { Project } from "./project.js";

/** One of the four memory folders, with every file in it that may be a memory. */
export type ReadCollection = { place: CollectionPlace; looked: readonly Looked[] };

/** The four memory folders of a project and its user, whether they exist or not. */
export const listPlaces = ({ cli, folders, globalFolder }: Project): CollectionPlace[] =>
  planPlaces({ files: cli.files, folders, globalFolder });

/** All lines of this folder's ledger, unordered. Writes nothing. */
export const readLedger = (
  options: { files: Files; log: Log },
  place: CollectionPlace,
): Promise<LedgerLine[]> => openLedger(options, place).readAll();

const FILES_AT_ONCE = 64;

/** `refusesSecrets`: a file that holds a secret is a problem. */
export const readCollections = (project: Project, refusesSecrets = false): Promise<ReadCollection[]> =>
  Promise.all(
    listPlaces(project).map(async (place) => {
      const { cli } = project;
      const entries = createEntries({ ...cli, ...place, refusesSecrets });
      const looked: Looked[] = [];
      const paths = await listPaths(cli.files, place.folder);
      for (let from = 0; from < paths.length; from += FILES_AT_ONCE) {
        const some = paths.slice(from, from + FILES_AT_ONCE).map((path) => entries.look(path));
        looked.push(...(await Promise.all(some)).filter((one) => one !== undefined));
      }
      return { place, looked };
    }),
  );

/** The readable memories among these files. */
export const listMemories = (collections: readonly ReadCollection[]) =>
  collections.flatMap(({ looked }) =>
    looked.flatMap(({ reading }) => (reading.kind === "memory" ? [reading.memory] : [])),
  );
