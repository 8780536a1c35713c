/** What `strata init --remove --purge` deletes: Strata's folders in a project, and its record in the user's state folder. */
import { join } from "node:path";
import { formatCount } from "../../base/format.js";
import type { Files } from "../../io/files.js";
import { removeEmptyFolders } from "../../io/scratch.js";
import type { Project } from "../../operations/project.js";
import { locateRecord } from "../../project/record.js";

export interface PurgePlan {
  folders: readonly Doomed[];
  /** Sentences on what looks like Strata's and is left alone. */
  leftAlone: readonly string[];
}

interface Doomed {
  folder: string;
  paths: readonly string[];
  bytes: number;
}

type Where = Pick<Project, "folders" | "root" | "stateFolder"> & { cli: { files: Files } };

/** Follows no link: what a link leads to is not Strata's, and a folder that is one is left alone. */
export async function planPurge({ cli: { files }, folders, root, stateFolder }: Where): Promise<PurgePlan> {
  const record = await locateRecord(files, { project: root, stateFolder });
  const real = (await files.realPath(root)) ?? root;
  const doomed: Doomed[] = [];
  const leftAlone: string[] = [];
  for (const folder of [folders.toolResults, folders.sessionMemory, folders.memory, folders.strata]) {
    const place = await files.realPath(folder);
    if (place === undefined) continue;
    if (place === join(real, folder.slice(root.length))) doomed.push(await measure(files, folder));
    else leftAlone.push(`${folder} leads to ${place}, and is left alone`);
  }
  if ((await files.statItself(record.folder))?.kind === "folder")
    doomed.push(await measure(files, record.folder));
  return { folders: doomed, leftAlone };
}

async function measure(files: Files, folder: string): Promise<Doomed> {
  const paths: string[] = [];
  let bytes = 0;
  const look = async (place: string): Promise<void> => {
    for (const name of await files.list(place)) {
      const path = join(place, name);
      const stat = await files.statItself(path);
      if (stat?.kind === "folder") await look(path);
      else if (stat) {
        paths.push(path);
        bytes += stat.bytes;
      }
    }
  };
  await look(folder);
  return { folder, paths, bytes };
}

export function formatPurge({ folders, leftAlone }: PurgePlan): string {
  const lines = folders.map(
    ({ bytes, folder, paths }) =>
      `  ${folder}  ${formatCount(paths.length)} ${paths.length === 1 ? "file" : "files"}, ${formatCount(bytes)} bytes`,
  );
  return [...lines, ...leftAlone.map((sentence) => `  ${sentence}`)].join("\n");
}

/** Deletes the files, then the folders that are empty. */
export async function purge(files: Files, { folders }: PurgePlan): Promise<void> {
  for (const { folder, paths } of folders) {
    for (const path of paths) await files.remove(path);
    await removeEmptyFolders(folder);
  }
}
