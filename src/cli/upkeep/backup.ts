/** `strata backup`: everything that Strata keeps of this project and of the user's memories, in one verified file. */

import { join, relative, resolve } from "node:path";
import { StrataError } from "../../base/error.js";
import { formatCount } from "../../base/format.js";
import { type CliContext, exitCodes, type Run } from "../../operations/command.js";
import { openProject } from "../../operations/open-project.js";
import { createProgress } from "../../operations/progress.js";
import type { Project } from "../../operations/project.js";
import { type BackupEntry, packBackup, unpackBackup } from "./backup-archive.js";
import { countFiles, folderOf, listBackedUp } from "./backup-files.js";

export const run: Run = async (cli, { force }, [given]) => {
  const { clock, files, say, style, warn } = cli;
  const project = await openProject(cli);
  const path = resolve(cli.folder, given ?? nameBackup(clock.now()));
  const listed = await listBackedUp(project);
  const archive = await packBackup(readAll(project, listed), clock.now());
  if (force === true) await files.writeWhole(path, archive);
  else if (!(await files.create(path, archive)))
    throw new StrataError(
      "IN_THE_WAY",
      `${path} already exists; choose another file, or replace it with --force`,
    );
  const count = await verify(cli, path);
  say(`Backed up and verified: ${countFiles(count)}, ${formatCount(archive.length)} bytes, ${path}`);
  if (!relative(project.root, path).startsWith(".."))
    warn(`${style.yellow("Private")}  it holds private memories: keep it out of git`);
  return exitCodes.fine;
};

const nameBackup = (nowMs: number): string =>
  `strata-backup-${new Date(nowMs).toISOString().slice(0, 16).replace(/[:T]/g, "-")}.jsonl.gz`;

/** Skips files that are removed meanwhile. */
async function* readAll(
  project: Project,
  listed: Awaited<ReturnType<typeof listBackedUp>>,
): AsyncGenerator<BackupEntry> {
  const progress = createProgress(project.cli, "Backing up");
  for (const [n, { path, root }] of listed.entries()) {
    progress.step(n, listed.length);
    const contents = await project.cli.files.read(join(folderOf(project, root), path));
    if (contents) yield { root, path, contents };
  }
  progress.end();
}

/** Reads the written archive completely; returns the number of files in it. */
async function verify({ files }: CliContext, path: string): Promise<number> {
  const written = await files.read(path);
  if (!written) throw new StrataError("ENOTWRITTEN", `${path} was written but is gone`);
  let count = 0;
  for await (const _ of unpackBackup(written)) count++;
  return count;
}
