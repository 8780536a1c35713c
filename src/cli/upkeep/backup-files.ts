/** Selects the files of a backup. */
import { join } from "node:path";
import { formatCount } from "../../base/format.js";
import { type FileKind, patternOf } from "../../kernel/file-kinds.js";
import { kernelFiles } from "../../kernel/kernel-files.js";
import type { CliContext } from "../../operations/command.js";
import type { Project } from "../../operations/project.js";

/** `project`: the project's folder; `global`: OpenCode's global configuration folder. */
export const backupRoots = ["project", "global"] as const;
export type BackupRoot = (typeof backupRoots)[number];

export interface BackedUp {
  root: BackupRoot;
  /** Relative to the root, with `/` as separator. */
  path: string;
}

const OPENCODE = ".opencode/";
const FOLDERS: Readonly<Record<BackupRoot, readonly string[]>> = {
  project: ["memory", "session-memory", "tool-results", "strata"].map((name) => `${OPENCODE}${name}`),
  global: ["memory"],
};
/** Files that only running processes need, or that can be rebuilt from the rest. */
const PASSING =
  /\.lock$|\/strata\.log|\/state\/memory\/(?:internal|private)\/[^/]+$|\/stats\.html$|\/state\/(?:instances|pulse|mail|edits|leases|views|screen|background|vectors|prices)\b/;
/** Folders of Strata are at most this deep. */
const MOST_DEPTH = 8;

export const folderOf = ({ globalFolder, root }: Project, of: BackupRoot): string =>
  of === "project" ? root : globalFolder;

export const countFiles = (count: number): string =>
  `${formatCount(count)} ${count === 1 ? "file" : "files"}`;

/** Returns a predicate for paths allowed in a backup. Refuses every path that could lead elsewhere. */
export async function readBackedUp(cli: CliContext): Promise<(file: BackedUp) => boolean> {
  const kinds: FileKind[] = [...kernelFiles, ...(await cli.loadLayers()).flatMap(({ files }) => files)];
  const patterns = kinds.map(patternOf);
  return ({ path, root }) => {
    const whole = root === "project" ? path : `${OPENCODE}${path}`;
    const isPlain =
      !/[\\:]|\p{Cc}/u.test(path) && path.split("/").every((part) => !["", ".", ".."].includes(part));
    const isBelow = FOLDERS[root].some((folder) => path.startsWith(`${folder}/`));
    return isPlain && isBelow && !PASSING.test(whole) && patterns.some((pattern) => pattern.test(whole));
  };
}

/** Every file to back up, by root and path, without links. */
export async function listBackedUp(project: Project): Promise<BackedUp[]> {
  const { files } = project.cli;
  const isBackedUp = await readBackedUp(project.cli);
  const found: BackedUp[] = [];
  for (const root of backupRoots)
    for (const folder of FOLDERS[root]) await walk({ root, path: folder }, MOST_DEPTH);
  return found;

  async function walk({ path, root }: BackedUp, depth: number): Promise<void> {
    for (const name of await files.list(join(folderOf(project, root), path))) {
      const inside = { root, path: `${path}/${name}` };
      const kind = (await files.statItself(join(folderOf(project, root), inside.path)))?.kind;
      if (kind === "folder" && depth > 0) await walk(inside, depth - 1);
      else if (kind === "file" && isBackedUp(inside)) found.push(inside);
    }
  }
}
