/** Collects the facts of a project's files and, on request, of its git history. */
import { join } from "node:path";
import { readConfigFiles } from "../../config/config-files.js";
import type { Git } from "../../io/host.js";
import { createGit } from "../../io/node-git.js";
import type { Memory } from "../../memory/memory.js";
import {
  findSource,
  findSources,
  type ReadFacts,
  readFacts,
  type Source,
} from "../../sources/bootstrap/find-sources.js";
import { type IsSent, openInstructions } from "../../sources/bootstrap/instructions.js";
import { GIT_HISTORY, readTaken, type TakenFact } from "../../sources/bootstrap/taken.js";
import { cut, toLine } from "../../text/text.js";
import { findHost } from "../find-host.js";
import type { Project } from "../project.js";

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

/* Decisions explained in commit messages: merges and commits with text below the first line. */

/** Maximum number of commits read, newest first; git's output limit applies too. */
const MOST_COMMITS = 1_000;
const MOST_CHARACTERS = 4_000;
/** Shorter texts give no reason. */
const LEAST_CHARACTERS = 40;
/** Separators of commits and fields; git writes them for `%x1e` and `%x1f`, and no message contains them. */
const [RECORD, FIELD] = ["\u001e", "\u001f"];

export interface Commit {
  hash: string;
  parents: string[];
  /** ISO date-time. */
  at: string;
  subject: string;
  body: string;
}

/** The last commits of the current branch; `undefined` if git does not answer. */
export async function readCommits(git: Git, folder: string): Promise<Commit[] | undefined> {
  const format = ["%H", "%P", "%cI", "%s", "%b"].join("%x1f");
  const asked = ["log", "--encoding=UTF-8", `--max-count=${MOST_COMMITS}`, `--format=${format}%x1e`];
  const answer = await git.ask(asked, { folder });
  return answer?.split(RECORD).flatMap((record) => parseCommit(record) ?? []);
}

/** At most `most` facts, newest first. A commit always gives the same fact. Pure. */
export function planDecisions(commits: readonly Commit[], most: number): TakenFact[] {
  return commits
    .flatMap((commit) => {
      const text = readReason(commit);
      return text === undefined ? [] : [toFact(commit, text)];
    })
    .slice(0, most);
}

function parseCommit(record: string): Commit | undefined {
  const [hash = "", parents = "", at = "", subject = "", body = ""] = record.replace(/^\s+/, "").split(FIELD);
  if (!/^[0-9a-f]{40,64}$/.test(hash)) return undefined;
  return { hash, parents: parents.split(" ").filter(Boolean), at, subject, body };
}

/** The text without trailers, lists of squashed commits and quoted addresses; `undefined` if little remains. */
function readReason({ body }: Commit): string | undefined {
  const text = body
    .replace(/\r\n?/g, "\n")
    .replace(
      /^(signed-off-by|co-authored-by|reviewed-by|acked-by|change-id|cc|tested-by|reported-by): .*$/gim,
      "",
    )
    .replace(/^(conflicts|# conflicts):[\s\S]*$/im, "")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
  return text.replace(/\s+/g, "").length < LEAST_CHARACTERS ? undefined : text;
}

function toFact({ at, hash, parents, subject }: Commit, text: string): TakenFact {
  const short = hash.slice(0, 12);
  const what = parents.length > 1 ? "Merge" : "Commit";
  return {
    ...{ key: short, file: GIT_HISTORY, type: "decision", importance: 0.2 },
    title: toLine(subject, 100) || `${what} ${short}`,
    content: `${what} ${short} of ${at.slice(0, 10)}: ${toLine(subject, 300)}\n\n${cut(text, MOST_CHARACTERS)}`,
  };
}
