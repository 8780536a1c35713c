/**
 * Every kind of file that Strata creates, and when each expires: for dreams, the start and docs/files.md.
 * Each layer's definition lists the layer's own. The age of a file is worked out here and nowhere else.
 */
import { dirname, join } from "node:path";
import { DAY_MS, parseDayFile } from "../base/days.js";
import type { Clock } from "../io/clock.js";
import { type FileStat, type Files, readText } from "../io/files.js";
import type { RunningProcesses } from "../io/running-processes.js";
import { WAITING_DAYS } from "../memory/candidates/candidate.js";
import { memoryTypes } from "../memory/memory.js";
import type { Folders } from "../project/folders.js";
import { parseInstance } from "../project/instances.js";

export interface FileKind {
  /** Path below the project, as in docs/files.md: `<id>` is any name, `<day>` a date, `<type>` a memory type. */
  readonly path: string;
  /** When it may be removed. Absent: the file stays until a person or its layer removes it. */
  readonly expiry?: Expiry;
}

interface Expiry {
  /** What people are told that it is. */
  readonly what: string;
  /** Minimum age in days. */
  readonly days: number;
  /** Removed at start-up once it is that old. Otherwise a dream puts it away. */
  readonly atStart?: true;
  /** Returns a check whether an older file is still needed. */
  openNeeds?(world: ExpiryWorld): (path: string) => Promise<boolean>;
}

export interface ExpiryWorld {
  clock: Clock;
  files: Files;
  folders: Folders;
  /** Folder that the kinds' paths are below; default: the project. */
  root?: string;
  processes: RunningProcesses;
}

/** Number of days for which machine state is useful. */
export const STATE_DAYS = 7;

const STATE = ".opencode/strata/state";

const kept = (path: string): FileKind => ({ path });
const atStart = (path: string, what: string, days = STATE_DAYS): FileKind => ({
  path,
  expiry: { what, days, atStart: true },
});

/** Memories and their companions: those shared in the project, and the user's private ones. */
const MEMORY = [".opencode/memory", ".opencode/memory/private"].flatMap((folder) => [
  `${folder}/<type>/<id>.md`,
  `${folder}/MEMORY.md`,
  `${folder}/archive/<type>/<id>.md`,
  `${folder}/ledger/<id>.jsonl`,
  `${folder}/.gitignore`,
]);

/** What the kernel creates in a project. */
export const kernelFiles: readonly FileKind[] = [
  ...MEMORY.map(kept),
  kept(".opencode/memory/.gitattributes"),
  kept(".opencode/strata/.gitignore"),
  kept(".opencode/strata/strata.log"),
  kept(".opencode/strata/strata.log.1"),
  kept(".opencode/strata/strata.log.2"),
  kept(".opencode/strata/savings/<id>.jsonl"),
  kept(`${STATE}/owner`),
  kept(`${STATE}/decisions/<day>.jsonl`),
  // No provider caches a prefix for longer than a day.
  atStart(`${STATE}/views/<id>.json`, "what was last sent in an old session"),
  atStart(`${STATE}/screen/<id>.context.json`, "what stood in the context of an old session"),
  atStart(`${STATE}/screen/<id>.json`, "what the screen showed of an old session"),
  kept(`${STATE}/sessions.json`),
  atStart(`${STATE}/background/<day>.jsonl`, "the budget of a past day"),
  // Asking for them again may cost money.
  atStart(`${STATE}/vectors/<id>`, "vectors of a model that is no longer used", 30),
  atStart(`${STATE}/calls/<id>.json`, "the call counts of an instance that has ended"),
  atStart(`${STATE}/tools/<day>.jsonl`, "which tools were called a month ago", 30),
  kept(`${STATE}/tools/offered.json`),
  kept(`${STATE}/tools/choices.json`),
  {
    path: `${STATE}/instances/<id>.json`,
    expiry: { what: "an instance that has ended", days: STATE_DAYS, openNeeds: openLiving },
  },
  kept(`${STATE}/prices.json`),
  kept(`${STATE}/memory/clone`),
  kept(`${STATE}/memory/internal/<id>`),
  kept(`${STATE}/memory/private/<id>`),
  kept(`${STATE}/memory/internal/ledger/<id>.jsonl`),
  kept(`${STATE}/memory/uses/<id>.jsonl`),
  kept(`${STATE}/<id>.lock`),
];

/**
 * Files of all projects in the user's state folder that expire; paths below that folder. What waits there expires by
 * itself; this also removes the files of projects that are not opened any more.
 */
export const stateFolderFiles: readonly FileKind[] = [
  atStart("projects/<id>/candidates.json", "sentences that did not become memories", WAITING_DAYS),
  atStart("projects/<id>/context-requests.jsonl", "what was asked about contexts long ago", 30),
  atStart("projects/<id>/checkpoint-<id>.json", "checkpoints from a year ago", 365),
  atStart("projects/<id>/attached-<id>.json", "attachments for a session that never continued"),
  atStart("projects/<id>/dropped.json", "which sentences were dropped long ago", 365),
];

/** The file of an instance is needed while its process runs, and while it may run on another machine. */
function openLiving({ files, processes }: ExpiryWorld): (path: string) => Promise<boolean> {
  return async (path) => {
    const instance = parseInstance((await readText(files, path)) ?? "");
    return instance !== undefined && (await processes.isRunning(instance.process)) === true;
  };
}

export interface ExpiredFile {
  path: string;
  /** Its kind, as shown to people. */
  what: string;
  bytes: number;
  modifiedMs: number;
}

/**
 * Lists every expired file of these kinds, half-written ones included, that is older than `days`; removes none. Rejects
 * with the system's error if a folder cannot be read.
 */
export async function findExpired(
  world: ExpiryWorld,
  kinds: readonly FileKind[],
  days = 0,
): Promise<ExpiredFile[]> {
  const found = new Map<string, ExpiredFile>();
  for (const kind of [...kinds, ...kinds.map(tornOf)])
    for (const file of await findOfKind(world, kind, days))
      if (!found.has(file.path)) found.set(file.path, file);
  return [...found.values()];
}

async function findOfKind(world: ExpiryWorld, kind: FileKind, days: number): Promise<ExpiredFile[]> {
  if (!kind.expiry) return [];
  const { days: leastDays, openNeeds, what } = kind.expiry;
  const isNeeded = openNeeds?.(world);
  const found: ExpiredFile[] = [];
  const root = world.root ?? world.folders.project;
  for (const folder of await listFolders(world.files, root, kind)) {
    for (const name of await world.files.list(join(root, folder))) {
      if (!matches(kind, `${folder}/${name}`)) continue;
      const path = join(root, folder, name);
      const stat = await world.files.statItself(path);
      if (stat?.kind !== "file") continue;
      const ageMs = world.clock.now() - findLastUse(kind, name, stat);
      if (!(ageMs > Math.max(days, leastDays) * DAY_MS) || (await isNeeded?.(path))) continue;
      found.push({ path, what, bytes: stat.bytes, modifiedMs: stat.modifiedMs });
    }
  }
  return found;
}

/** With "/" as separator. `<id>` as the last part stands for each folder there. */
async function listFolders(files: Pick<Files, "list" | "statItself">, root: string, { path }: FileKind) {
  const folder = dirname(path);
  if (folder.includes("<type>")) return memoryTypes.map((type) => folder.replace("<type>", type));
  if (!folder.endsWith("/<id>")) return [folder];
  const above = dirname(folder);
  const folders: string[] = [];
  for (const name of await files.list(join(root, above)))
    if ((await files.statItself(join(root, above, name)))?.kind === "folder")
      folders.push(`${above}/${name}`);
  return folders;
}

/** Removes the files that expire at start-up. A kind that cannot be read does not stop the others. */
export async function removeExpired(
  world: ExpiryWorld,
  kinds: readonly FileKind[],
  complain: (thrown: unknown) => void,
): Promise<void> {
  for (const kind of kinds) {
    const expiring = [kind, tornOf(kind)].filter(({ expiry }) => expiry?.atStart);
    try {
      // Not one that was written or used since it was found.
      for (const one of expiring)
        for (const { modifiedMs, path } of await findOfKind(world, one, 0))
          if ((await world.files.statItself(path))?.modifiedMs === modifiedMs) await world.files.remove(path);
    } catch (thrown) {
      complain(thrown);
    }
  }
}

/** The end of the day that the file is named after, if any: copying the folder may have changed the file's own time. */
function findLastUse({ path }: FileKind, name: string, { modifiedMs }: FileStat): number {
  const day = path.includes("<day>") ? parseDayFile(name) : undefined;
  return day === undefined ? modifiedMs : day + DAY_MS;
}

/** What a process leaves beside a file of this kind if it is killed while it writes: the same name with a random suffix. */
export const tornOf = ({ path }: FileKind): FileKind => ({
  path: `${path}.<torn>`,
  expiry: { what: "a half-written file", days: STATE_DAYS, atStart: true },
});

/** Is the file of this kind? `path` is relative to the project, with `/` as separator. */
export const matches = (kind: FileKind, path: string): boolean => patternOf(kind).test(path);

/** Matches the paths of files of this kind, relative to the project. */
export function patternOf(kind: FileKind): RegExp {
  const escaped = kind.path.replace(/[.$()+]/g, "\\$&");
  const pattern = Object.entries(PLACEHOLDERS).reduce(
    (text, [placeholder, source]) => text.replaceAll(placeholder, source),
    escaped,
  );
  return new RegExp(`^${pattern}$`);
}

const PLACEHOLDERS = {
  "<id>": "[^/]+",
  "<day>": "\\d{4}-\\d{2}-\\d{2}",
  "<torn>": "[\\da-f]{8}(-[\\da-f]{4}){3}-[\\da-f]{12}(\\.\\d+)?",
  "<type>": `(${memoryTypes.join("|")})`,
};
