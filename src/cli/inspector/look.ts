/** Takes stamps of the files that the page shows, from their names, sizes and times, never from their contents. */
import { join } from "node:path";
import { planConflictFolders } from "../../memory/conflict-records.js";
import { memoryTypes } from "../../memory/memory.js";
import { HIDDEN_LEDGER, LEDGER } from "../../memory/path.js";
import { locateRecord } from "../../owner/record.js";
import type { FileStat, Files } from "../../seams/files.js";
import type { Project } from "../project.js";
import type { Topic } from "./answers.js";
import type { Stamp } from "./live.js";

/** Maximum number of files of a folder that are checked one by one; for a larger folder, only its own stat and count. */
const MOST_FILES = 200;

/** Never rejects: an unreadable path has an empty stamp. */
export async function lookAtProject(project: Project): Promise<ReadonlyMap<string, Stamp>> {
  const { cli } = project;
  const places = [...planPlaces(project), ...(await planUsersPlaces(project))];
  const stamps = await Promise.all(
    places.map(
      async ([path, ...topics]) => [path, { topics, stamp: await stampOf(cli.files, path) }] as const,
    ),
  );
  return new Map(stamps);
}

type Watched = readonly [path: string, ...topics: Topic[]];

function planPlaces({ folders, globalFolder }: Project): Watched[] {
  const roots = [folders.memory, join(globalFolder, "memory")].flatMap((one) => [one, join(one, "private")]);
  return [
    [folders.screens, "sessions"],
    [folders.savings, "sessions"],
    [folders.sessions, "sessions"],
    [folders.instances, "sessions", "agenda"],
    [folders.sessionMemory, "sessions", "agenda"],
    [folders.leases, "agenda"],
    [folders.log, "log"],
    [join(folders.memory, HIDDEN_LEDGER), "memories"],
    ...planConflictFolders(folders.memory).map((path): Watched => [path, "waiting", "agenda"]),
    ...roots.flatMap((root): Watched[] => [
      [join(root, LEDGER), "memories"],
      ...memoryTypes.map((type): Watched => [join(root, type), "memories", "agenda"]),
    ]),
  ];
}

async function planUsersPlaces({ cli, folders, stateFolder }: Project): Promise<Watched[]> {
  const record = await locateRecord(cli.files, { project: folders.project, stateFolder }).catch(
    () => undefined,
  );
  return record ? [[record.candidates, "waiting"]] : [];
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
