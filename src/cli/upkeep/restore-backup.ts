/** `strata backup restore`: restores the missing files of a backup. */
import { dirname, join, resolve } from "node:path";
import { StrataError } from "../../base/error.js";
import { formatCount } from "../../base/format.js";
import { decodeText } from "../../io/files.js";
import { formatPath, splitPath } from "../../memory/path.js";
import { type ExitCode, exitCodes } from "../../operations/command.js";
import { listPlaces } from "../../operations/memory-files.js";
import { withMemories } from "../../operations/open-memories.js";
import { openLocks, type Project } from "../../operations/project.js";
import { hideFromGit } from "../../project/folders.js";
import { type BackupEntry, countFiles, folderOf, readBackedUp, unpackBackup } from "./backup-archive.js";

export interface RestoreOptions {
  file: string;
  isDry: boolean;
  /** Replaces files that differ. */
  isForced: boolean;
  /** Includes the memories that hold in every project. */
  withGlobal: boolean;
}

const MOST_LISTED = 20;

/** Paths by what became of them. `keep`: they differ here. `moved`: memories archived or in use since. */
type Restored = Record<"create" | "replace" | "same" | "keep" | "moved" | "global", string[]>;

/** Checks the whole archive before writing the first file. */
export async function restoreBackup(project: Project, options: RestoreOptions): Promise<ExitCode> {
  const { cli } = project;
  const path = resolve(cli.folder, options.file);
  const archive = await cli.files.read(path);
  if (!archive) throw new StrataError("NO_SOURCE", `${path} does not exist`);
  const isBackedUp = await readBackedUp(cli);
  for await (const entry of unpackBackup(archive))
    if (!isBackedUp(entry))
      throw new StrataError("WRONG_SOURCE", `${path} names ${entry.path}, which Strata does not write`);
  const done: Restored = { create: [], replace: [], same: [], keep: [], moved: [], global: [] };
  const restore = async (): Promise<void> => {
    // Before the first private file is written.
    if (!options.isDry) await hideFromGit(cli.files, project.folders.strata);
    for await (const entry of unpackBackup(archive))
      done[await restoreOne(project, entry, options)].push(entry.path);
  };
  await (options.isDry ? restore() : withLocks(project, restore));
  report(project, done, options);
  if (!options.isDry && done.create.length + done.replace.length > 0) await lookAtMemories(project);
  return done.keep.length + done.moved.length > 0 ? exitCodes.problems : exitCodes.fine;
}

/** Runs while holding the lock of every memory folder, so that no other process writes there. */
function withLocks<T>(project: Project, run: () => Promise<T>): Promise<T> {
  const locks = openLocks(project, "cli restore");
  return listPlaces(project).reduce<() => Promise<T>>(
    (inner, { state }) =>
      () =>
        locks.withLock(join(state, "lock"), inner),
    run,
  )();
}

async function restoreOne(
  project: Project,
  entry: BackupEntry,
  { isDry, isForced, withGlobal }: RestoreOptions,
): Promise<keyof Restored> {
  const { files } = project.cli;
  const { contents, path, root } = entry;
  if (root === "global" && !withGlobal) return "global";
  const target = join(folderOf(project, root), path);
  const plan = planEntry(entry, await files.read(target), isForced);
  const twin = plan === "create" ? findTwin(path) : undefined;
  if (twin !== undefined && (await files.statItself(join(folderOf(project, root), twin)))) return "moved";
  if (isDry) return plan;
  if (plan === "replace") await files.writeWhole(target, contents);
  else if (plan === "create" && !(await files.create(target, contents)))
    throw new StrataError("IN_THE_WAY", `${dirname(target)} has something in the place of ${path}`);
  return plan;
}

/** The other place of the same memory, active or archived; `undefined` for any other file. Pure. */
function findTwin(path: string): string | undefined {
  const [, folder, collection = "", inside = ""] =
    /^((?:\.opencode\/)?memory\/)(private\/)?(.*)$/s.exec(path) ?? [];
  const parts = folder === undefined ? undefined : splitPath(inside);
  return parts && `${folder}${collection}${formatPath({ ...parts, isArchived: !parts.isArchived })}`;
}

/** Line files are append-only: the longer one contains both. Pure. */
export function planEntry(
  { contents, path }: Pick<BackupEntry, "contents" | "path">,
  present: Uint8Array | undefined,
  isForced: boolean,
): "create" | "replace" | "same" | "keep" {
  if (!present) return "create";
  const [backup, now] = [decodeText(contents), decodeText(present)];
  if (Buffer.from(contents).equals(present)) return "same";
  if (path.endsWith(".jsonl")) {
    if (now.startsWith(backup)) return "same";
    if (backup.startsWith(now)) return "replace";
  }
  // Generated from the memories, which the restore changes.
  if (/(^|\/)(MEMORY\.md|\.gitignore)$/.test(path)) return "same";
  return isForced ? "replace" : "keep";
}

function report({ cli }: Project, done: Restored, { isDry }: RestoreOptions): void {
  const { say, style, warn } = cli;
  const { global, keep, moved, same } = done;
  const restored = [...done.create, ...done.replace];
  for (const path of restored.slice(0, MOST_LISTED)) say(path);
  if (restored.length > MOST_LISTED) say(`and ${formatCount(restored.length - MOST_LISTED)} more`);
  for (const path of keep.slice(0, MOST_LISTED)) warn(`${style.yellow("Kept")}  ${path} differs`);
  for (const path of moved.slice(0, MOST_LISTED))
    warn(
      `${style.yellow("Kept")}  ${path} is ${/\barchive\//.test(path) ? "in use again" : "archived"} here`,
    );
  const counts = [
    [moved, "archived or in use since; strata memory archive and restore move them"],
    [same, "already there"],
    [keep, "differ and stay; --force replaces them"],
    [global, "hold in every project; --global includes them"],
  ] as const;
  const head = `${isDry ? "Would restore" : "Restored"}: ${countFiles(restored.length)}`;
  const more = counts.flatMap(([{ length }, what]) => (length > 0 ? [`${formatCount(length)} ${what}`] : []));
  say([head, ...more].join(", "));
}

/** Updates ledger and index, and reports memories that do not count as the user's on this machine. */
function lookAtMemories(project: Project): Promise<void> {
  return withMemories(project, async (memories) => {
    const foreign = (await memories.list()).filter(({ isForeign }) => isForeign).length;
    if (foreign > 0)
      project.cli.warn(`${foreign} memories do not count as yours on this machine; strata trust lists them`);
  });
}
