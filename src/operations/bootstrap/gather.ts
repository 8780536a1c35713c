/** Collects the facts of a project's files and, on request, of its git history. */
import { join } from "node:path";
import { readConfigFiles } from "../../config/config-files.js";
import { createGit } from "../../io/node-git.js";
import type { Memory } from "../../memory/memory.js";
import { findSource, findSources, type Source } from "../../sources/bootstrap/find-sources.js";
import { type IsSent, openInstructions } from "../../sources/bootstrap/instructions.js";
import { type ReadFacts, readFacts } from "../../sources/bootstrap/read-facts.js";
import { GIT_HISTORY, readTaken } from "../../sources/bootstrap/taken.js";
import { findHost } from "../find-host.js";
import type { Project } from "../project.js";
import { planDecisions, readCommits } from "./git-history.js";

export interface GatherOptions {
  existing: readonly Memory[];
  /** Relative to the root. */
  folders: readonly string[];
  isRecursive: boolean;
  /** Number of decisions to add from the git history. */
  mostDecisions?: number;
}

/** The folders' files, and every file that a memory was taken from. */
export async function gather(
  project: Project,
  { existing, folders, isRecursive, mostDecisions }: GatherOptions,
): Promise<ReadFacts> {
  const { cli, root } = project;
  const found = await findSources(cli.files, { root, folders, isRecursive });
  const before = await findEarlier(project, existing, found.sources);
  const isSent = await openSent(project);
  const used: Source[] = [];
  const sent: string[] = [];
  for (const source of [...found.sources, ...before.sources]) {
    if (source.kind.isRules && (await isSent(join(root, source.path)))) sent.push(source.path);
    else used.push(source);
  }
  const { facts, notes, read } = await readFacts(cli.files, root, used);
  // Files that are gone, or that OpenCode now sends, state nothing.
  for (const path of [...before.gone, ...sent]) read.add(path);
  if (found.isCut) notes.push("there are too many folders and files to search; name some of them");
  if (mostDecisions !== undefined) await addDecisions();
  return { facts, notes, read };

  async function addDecisions(): Promise<void> {
    const commits = await readCommits(createGit(), root);
    if (commits) facts.push(...planDecisions(commits, mostDecisions ?? 0));
    else notes.push(`git log of ${root} gave no answer, so nothing was taken from its history`);
  }
}

/** Files that memories were taken from and that the search did not find. */
async function findEarlier(
  { cli, root }: Project,
  existing: readonly Memory[],
  found: readonly Source[],
): Promise<{ sources: Source[]; gone: string[] }> {
  const known = new Set([GIT_HISTORY, ...found.map(({ path }) => path)]);
  const sources: Source[] = [];
  const gone: string[] = [];
  for (const file of existing.flatMap((memory) => readTaken(memory)?.file ?? [])) {
    if (known.has(file)) continue;
    known.add(file);
    const source = await findSource(cli.files, root, file);
    if (source) sources.push(source);
    else gone.push(file);
  }
  return { sources, gone };
}

async function openSent({ cli, root, settings }: Project): Promise<IsSent> {
  const { env, files, folder, home } = cli;
  const { configFiles } = await settings();
  const { parsed } = await readConfigFiles(files, configFiles);
  const configs = parsed.map(({ contents }) => contents);
  const { isSecond } = await findHost(
    cli,
    configFiles.map(({ path }) => path),
  );
  return openInstructions({ files, isSecond, project: root, directory: folder, home, env, configs });
}
