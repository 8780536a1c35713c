/** `strata bootstrap`: adds, renews and drops memories of what a project's files state. */

import { join, relative, resolve } from "node:path";
import { StrataError } from "../../base/error.js";
import { createDryFiles } from "../../io/dry-files.js";
import { listPaths } from "../../memory/store/entry-paths.js";
import { type BootstrapPlan, planBootstrap } from "../../sources/bootstrap/plan-bootstrap.js";
import { readWhole, WRONG_ARGUMENT } from "../arguments.js";
import type { Run } from "../command.js";
import { withMemories } from "../open-memories.js";
import { openProject } from "../open-project.js";
import { gather } from "./gather.js";
import { createBootstrapReport } from "./report.js";
import { findUndone, writeBootstrap } from "./write-bootstrap.js";

const USUAL_DECISIONS = 50;
const MOST_DECISIONS = 500;

export const run: Run = async (cli, { dryRun, git, json, limit, recursive }, given) => {
  const isDry = dryRun === true;
  const most = readWhole("--limit", limit, { least: 1, most: MOST_DECISIONS, usual: USUAL_DECISIONS });
  // A dry run also discards what opening the store writes.
  const files = isDry ? createDryFiles(cli.files, cli.clock) : cli.files;
  const project = await openProject({ ...cli, files });
  const folders = readFolders(given, { folder: cli.folder, root: project.root });
  for (const [n, path] of folders.entries())
    if ((await files.stat(join(project.root, path)))?.kind !== "folder")
      throw new StrataError(
        "NO_SOURCE",
        `${given[n] ?? path} is not a folder of the project ${project.root}; name folders, or none for the whole project`,
      );
  const report = createBootstrapReport(cli, { asJSON: json === true, isDry });
  return withMemories(project, async (memories) => {
    const existing = await memories.list({ archived: true });
    const { notes, ...gathered } = await gather(project, {
      existing,
      folders,
      isRecursive: recursive === true,
      ...(git === true && { mostDecisions: most }),
    });
    const plan: BootstrapPlan = planBootstrap({
      ...gathered,
      existing,
      undone: await findUndone(memories, existing),
      paths: await listPaths(files, project.folders.memory),
      nowMs: cli.clock.now(),
    });
    const done = isDry ? undefined : await writeBootstrap(project, memories, plan);
    return report(plan, notes, done);
  });
};

/** The folders on the command line, relative to the root. Throws for one outside the project. */
function readFolders(given: readonly string[], { folder, root }: { folder: string; root: string }): string[] {
  if (given.length === 0) return [""];
  return given.map((one) => {
    const path = relative(root, resolve(folder, one)).replaceAll("\\", "/");
    if (path !== ".." && !path.startsWith("../") && !/^([A-Za-z]:|\/)/.test(path)) return path;
    throw new StrataError(
      WRONG_ARGUMENT,
      `${one} is outside the project ${root}; run strata bootstrap in that project, or add the folder with: strata ingest --recursive`,
    );
  });
}
