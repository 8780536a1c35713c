/** A stamp of the files that the page shows, from their names, sizes and times, never from their contents. */
import { join } from "node:path";
import { formatLocalDay } from "../base/days.js";
import { hashOf } from "../base/hash.js";
import type { FileStat, Files } from "../io/files.js";
import { planConflictFolders } from "../memory/conflict-records.js";
import { memoryTypes } from "../memory/memory.js";
import { HIDDEN_LEDGER, LEDGER } from "../memory/path.js";
import type { Project } from "../operations/project.js";
import { locateRecord } from "../project/record.js";

/** Maximum number of files of a folder that are checked one by one; for a larger folder, only its own stat and count. */
const MOST_FILES = 200;

/** Differs after every change. Never rejects: an unreadable path counts as empty. */
export async function stampProject(project: Project): Promise<string> {
  const { cli, folders, stateFolder } = project;
  const record = await locateRecord(cli.files, { project: folders.project, stateFolder }).catch(
    () => undefined,
  );
  const paths = [...listPaths(project), ...(record ? [record.candidates] : [])];
  const stamps = await Promise.all(paths.map((path) => stampOf(cli.files, path)));
  // The savings of today are others tomorrow.
  return hashOf([formatLocalDay(cli.clock.now()), ...stamps].join("\n\n"));
}

function listPaths({ folders, globalFolder }: Project): string[] {
  const roots = [folders.memory, join(globalFolder, "memory")].flatMap((one) => [one, join(one, "private")]);
  return [
    ...[folders.screens, folders.savings, folders.sessions, folders.instances, folders.sessionMemory],
    ...[folders.leases, folders.log, join(folders.memory, HIDDEN_LEDGER)],
    ...planConflictFolders(folders.memory),
    ...roots.flatMap((root) => [LEDGER, ...memoryTypes].map((name) => join(root, name))),
  ];
}

async function stampOf(files: Files, path: string): Promise<string> {
  try {
    const stat = await files.statItself(path);
    if (stat?.kind !== "folder") return formatStat(stat);
    const names = await files.list(path);
    if (names.length > MOST_FILES) return `${formatStat(stat)} ${names.length}`;
    const stats = await Promise.all(names.map((name) => files.statItself(join(path, name))));
    return names.map((name, n) => `${name} ${formatStat(stats[n])}`).join("\n");
  } catch {
    return "";
  }
}

const formatStat = (stat: FileStat | undefined): string =>
  stat ? `${stat.kind} ${stat.bytes} ${stat.modifiedMs} ${stat.changedMs}` : "";
