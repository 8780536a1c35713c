import { createRemoteGit } from "../../host/remote-git.js";
import type { OpenMemories } from "../../memory/store.js";
import { openLocks } from "../../operations/open-locks.js";
import type { Project } from "../../operations/project.js";
import { locateSync, type SyncPlace } from "../../sync/places.js";
import { createSync, type Sync } from "../../sync/sync.js";
import { openSyncFiles, type SyncFiles } from "../../sync/sync-state.js";

/** Long, since the user waits and can press Ctrl-C. */
const NETWORK_MS = 300_000;

export const locatePlace = (
  { cli, folders, stateFolder }: Project,
  scope: SyncPlace["scope"],
): Promise<SyncPlace> => locateSync(cli.files, scope, { project: folders.memoryProject, stateFolder });

export interface OpenedSync {
  sync: Sync;
  stored: SyncFiles;
}

/** Opens the sync of this place, with the user's git. */
export async function openSync(
  project: Project,
  memories: Pick<OpenMemories, "exchange">,
  place: SyncPlace,
): Promise<OpenedSync> {
  const { cli, instance } = project;
  const { clock, files } = cli;
  const sync = createSync({
    ...{ clock, files, instance, place },
    exchange: memories.exchange,
    git: createRemoteGit(cli.env, clock),
    locks: openLocks(project, `${instance} sync`),
    machinePaths: await listMachinePaths(project),
    networkMs: NETWORK_MS,
  });
  return { sync, stored: openSyncFiles(files, place) };
}

/** Folders of this machine, as written and with links resolved. */
async function listMachinePaths({ cli, globalFolder, root, stateFolder }: Project): Promise<string[]> {
  const own = [cli.home, root, globalFolder, stateFolder];
  const real = await Promise.all(own.map((path) => cli.files.realPath(path).catch(() => undefined)));
  return [...own, ...real.flatMap((path) => path ?? [])];
}
