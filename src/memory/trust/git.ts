/**
 * What git knows of a project: its folder, its identity, its main worktree, and which files came from it.
 *
 * Finds git's folder of a project without running git. A clone never contains one, but an archive may, so only what can
 * be checked is trusted: links are not followed, and a `.git` file counts only if the folder that it names points back.
 */
import { createHash, randomBytes } from "node:crypto";
import { basename, dirname, join, relative, resolve } from "node:path";
import { DAY_MS } from "../../base/days.js";
import { formatError } from "../../base/error.js";
import { hashOf } from "../../base/hash.js";
import { type Files, pathBelow, readPlainText } from "../../io/files.js";
import type { Git } from "../../io/host.js";
import { isType } from "../memory.js";
import { type IsInTurn, KEPT_DAYS } from "./record.js";

export interface GitFolder {
  /** Top folder of the work tree. */
  top: string;
  /** Shared by all work trees of the repository. */
  common: string;
  /** Folder of this work tree; equal to `common` in the main one. */
  own: string;
}

type Reading = Pick<Files, "read" | "realPath" | "statItself">;

/**
 * Git's folder of the nearest repository from this folder upwards; `unknown` if it cannot be trusted. `root` must have no
 * links on its path.
 */
export async function findGitFolder(files: Reading, root: string): Promise<GitFolder | "none" | "unknown"> {
  for (let top = root; ; top = dirname(top)) {
    const path = join(top, ".git");
    const kind = (await files.statItself(path))?.kind;
    if (kind === "folder")
      return (await isFile(files, join(path, "HEAD"))) ? { top, common: path, own: path } : "unknown";
    if (kind === "file") return (await readGitFile(files, top, path)) ?? "unknown";
    // A repository may choose the target of a link.
    if (kind !== undefined) return "unknown";
    if (dirname(top) === top) return "none";
  }
}

const LONGEST_CONFIG = 100_000;

/** Names and addresses of the remotes in a git configuration; none of a longer one than git writes. Pure. */
export function listRemotes(config: string): { name: string; url: string }[] {
  if (config.length > LONGEST_CONFIG) return [];
  const found: { name: string; url: string }[] = [];
  let remote: string | undefined;
  for (const line of config.split(/\r?\n/)) {
    const [, section, rest = line] = /^\s*\[([^\]]*)\](.*)$/.exec(line) ?? [];
    if (section !== undefined) remote = /^remote\s+"?(.*?)"?\s*$/i.exec(section)?.[1];
    const [, url] = /^\s*url\s*=\s*"?([^"\s]+)/i.exec(rest) ?? [];
    if (remote !== undefined && url !== undefined) found.push({ name: remote, url });
  }
  return found;
}

/** `git@github.com:acme/shop.git` and `https://github.com/acme/shop` are both `github.com/acme/shop`. Pure. */
export function nameRemote(url: string): string | undefined {
  const [, host, path] =
    /^[a-z][a-z0-9+.-]*:\/\/(?:[^/]*@)?([^/:@]+)(?::\d+)?\/([^@?#]+)$/i.exec(url) ??
    /^(?:[^@/:]+@)?([^/:@]{2,}):([^/:@?#][^@?#]*)$/.exec(url) ??
    [];
  if (host === undefined || path === undefined) return undefined;
  return `${host}/${path.replace(/\/+$/, "").replace(/\.git$/, "")}`.toLowerCase();
}

/** Reads `gitdir: …`, the `.git` file of a linked work tree or a submodule. */
async function readGitFile(files: Reading, top: string, path: string): Promise<GitFolder | undefined> {
  const [, named] = /^gitdir: (.+)$/m.exec(await readPlainText(files, path)) ?? [];
  const own = named === undefined ? undefined : await files.realPath(resolve(top, named.trim()));
  if (own === undefined || !(await isFile(files, join(own, "HEAD")))) return undefined;
  const back = (await readPlainText(files, join(own, "gitdir"))).trim();
  if (back !== "") {
    if ((await files.realPath(resolve(own, back))) !== path) return undefined;
    const shared = (await readPlainText(files, join(own, "commondir"))).trim();
    const common = await files.realPath(resolve(own, shared || "."));
    return common === undefined ? undefined : { top, common, own };
  }
  const [, tree] = /^\s*worktree\s*=\s*(.+)$/m.exec(await readPlainText(files, join(own, "config"))) ?? [];
  const backed = tree === undefined ? undefined : await files.realPath(resolve(own, tree.trim()));
  return backed === top ? { top, common: own, own } : undefined;
}

async function isFile(files: Reading, path: string): Promise<boolean> {
  return (await files.statItself(path))?.kind === "file";
}

/*
 * Identifies a project by what no repository can contain: a random ID in the git directory, and this machine's record
 * under that ID. Without git the ID is in `.opencode/strata` and is valid only in the folder for which it was made, also
 * after that folder has become a repository.
 */

export interface Identity {
  id: string;
  /** Real path of the project. */
  root: string;
  git?: GitFolder;
}

export interface IdentityOptions {
  files: Files;
  project: string;
  /** Reads only: creates no ID if there is no valid one. */
  isBrief?: boolean;
  /** Has this machine a record under this ID, and for this folder? */
  isKnown(id: string, root: string): Promise<"here" | "elsewhere" | "nowhere">;
  /** Records that this ID belongs to this folder, before the ID is written there. */
  begin(id: string, place: Omit<Identity, "id">): Promise<void>;
}

export const ID_FILE = "opencode-strata-id";
const ID = /^[0-9a-f]{32}$/;
const MOST_IDS = 20;

/** Creates an ID if there is no valid one; with `isBrief` the ID is empty then. Rejects with the system's error. */
export async function identify(given: IdentityOptions): Promise<Identity> {
  const { begin, files, isBrief, isKnown, project } = given;
  const root = (await files.realPath(project)) ?? project;
  const found = await findGitFolder(files, root);
  const git = typeof found === "string" ? undefined : found;
  const plainPath = join(root, ".opencode", "strata", ID_FILE);
  const path = git ? join(git.common, ID_FILE) : plainPath;
  const place = { root, ...(git && { git }) };
  const ids = await readIDs(files, path);
  for (const id of ids) {
    const known = await isKnown(id, root);
    // A git directory may have been moved or have several work trees. Without git, another folder is another project.
    if (known === "here" || (known === "elsewhere" && git !== undefined)) return { id, ...place };
  }
  if (git)
    for (const id of await readIDs(files, plainPath))
      if ((await isKnown(id, root)) === "here") return { id, ...place };
  if (isBrief) return { id: "", ...place };
  const made = randomBytes(16).toString("hex");
  await begin(made, place);
  if (ids.length === 0 && (await files.create(path, `${made}\n`))) return { id: made, ...place };
  const others = await readIDs(files, path);
  // Another process on this machine may have been faster.
  for (const id of others) if ((await isKnown(id, root)) === "here") return { id, ...place };
  // Another user's machine, such as a container, may work in the same folder under an id of its own.
  await files.writeWhole(path, `${[made, ...others].slice(0, MOST_IDS).join("\n")}\n`);
  return { id: made, ...place };
}

async function readIDs(files: Files, path: string): Promise<string[]> {
  return (await readPlainText(files, path))
    .split(/\r?\n/)
    .slice(0, MOST_IDS)
    .filter((line) => ID.test(line));
}

/*
 * Which files came from git: by pull, checkout or merge, or from a branch or the stash.
 *
 *     in no repository                    it was written here
 *     git is in the middle of a merge     it came from git: merged contents are in no commit yet
 *     git writes it in another form       it came from git, because it cannot be checked
 *     no commit has it at this path       it was written here, and is at most staged
 *     only commits made here have it      it was written here
 *     any other commit has it             it came from git
 *     git does not answer                 it came from git
 *
 * A commit was made here if the work tree's reflog says so, after the project was first seen (an archive may contain a
 * reflog), not by a rebase, merge or pull, and not while an agent worked.
 */

export interface OriginOptions {
  files: Pick<Files, "read" | "realPath" | "statItself">;
  /** Without it every file in a repository came from git. */
  git: Git | undefined;
  isInTurn: IsInTurn;
  /** Digest of the last line of the reflog when the project was first seen; `undefined` if there was none. */
  logEnd: string | undefined;
  nowMs: number;
  /** Git's folder of the project's own work tree: what the reflog of another held before is not known. */
  ownFolder: string | undefined;
}

/** Maximum number of commits of a path; with more, its origin counts as unknown. */
const MOST_COMMITS = 500;
/** Files in git's folder during an unfinished operation. */
const UNDER_WAY = [
  "MERGE_HEAD",
  "CHERRY_PICK_HEAD",
  "REVERT_HEAD",
  "SQUASH_MSG",
  "rebase-merge",
  "rebase-apply",
  "sequencer",
];
/** Name commits that may be on no branch. */
const PASSING = ["FETCH_HEAD", "ORIG_HEAD"];
/** What git says of attributes that make the file in the work tree differ from its own … */
const CONVERTS = /\0(?:ident|working-tree-encoding|filter)\0(?!unset\0|unspecified\0)/;
/** … and of those that make lines alike which end in both ways. */
const ENDS_LINES = /\0(?:(?:text|crlf)\0set|eol\0crlf)\0/;
const ATTRIBUTES = ["ident", "working-tree-encoding", "filter", "text", "crlf", "eol"];
const COMMIT =
  /^[0-9a-f]{40,64} ([0-9a-f]{40,64}) [^\n]*? (\d+) [+-]\d{4}\tcommit(?: \((?:initial|amend)\))?: /;

/** Is the file with these contents from git, or is that unknown? Rejects with the system's error. */
export async function isFromGit(
  { hash, path }: { path: string; hash: string },
  options: OriginOptions,
): Promise<boolean> {
  const { files, git } = options;
  const contents = await files.read(path);
  // A file that has changed since cannot be checked any more.
  if (!contents || hashOf(contents) !== hash) return true;
  const folder = await findGitFolder(files, (await files.realPath(dirname(path))) ?? dirname(path));
  if (folder === "none") return false;
  const inTree = folder === "unknown" ? undefined : pathBelow(folder.top, path);
  if (folder === "unknown" || inTree === undefined || !git) return true;
  for (const name of UNDER_WAY) if (await files.statItself(join(folder.own, name))) return true;
  const ask: Ask = (args) => git.ask(args, { folder: folder.top });
  if (await isConverted(ask, inTree, Buffer.from(contents).includes("\r\n"))) return true;
  const all = ["--all", "--reflog", "--ignore-missing", `--max-count=${MOST_COMMITS + 1}`];
  // To the disks of Windows and macOS `Directive` is `directive`, and a letter with an accent may be two.
  const loosely: Ask = (args) => ask(["--no-literal-pathspecs", "--icase-pathspecs", ...args]);
  const anyForm = `./${inTree.replace(/[^ -~]+|[*?[\\]/g, "*")}`;
  const changes = await readChanges(loosely, [...all, ...(await readPassing(files, folder))], anyForm);
  if (!changes || new Set(changes.map(({ commit }) => commit)).size > MOST_COMMITS) return true;
  const ids = nameObjects(contents);
  const having = changes.filter(({ id }) => ids.includes(id));
  const made = having.length === 0 ? undefined : await readOwnCommits(folder, options);
  return having.some(({ commit }) => !made?.has(commit));
}

type Ask = (args: readonly string[]) => Promise<string | undefined>;

/** Does git convert this file at checkout, or is that unknown? Runs no filter program. */
async function isConverted(ask: Ask, inTree: string, hasReturns: boolean): Promise<boolean> {
  // For each attribute the path, its name and its value.
  const found = await ask(["check-attr", "-z", ...ATTRIBUTES, "--", inTree]);
  return found === undefined || CONVERTS.test(found) || (hasReturns && ENDS_LINES.test(found));
}

async function readPassing(files: OriginOptions["files"], { own }: GitFolder): Promise<string[]> {
  const texts = await Promise.all(PASSING.map((name) => readPlainText(files, join(own, name))));
  return texts.flatMap((text) => text.match(/^[0-9a-f]{40,64}\b/gm) ?? []).slice(0, MOST_COMMITS);
}

/** What a commit has made of a file: git's id of its contents, and the commit's author with address. */
type GitChange = Record<"address" | "author" | "commit" | "id" | "path", string>;

/** Changes at this path or below by commits of `from`, children first; `undefined` if git does not answer. */
export async function readChanges(ask: Ask, from: readonly string[], inTree: string) {
  const config = ["-c", "log.showRoot=true", "-c", "core.quotePath=false"];
  const log = ["log", "--full-history", "-m", "--raw", "--topo-order"];
  const how = ["--no-abbrev", "--no-renames", "--no-color", "--format=%H %ae%x09%an"];
  let by: Omit<GitChange, "id" | "path"> | undefined;
  const text = await ask([...config, ...log, ...how, ...from, "--", inTree]);
  return text?.split("\n").flatMap((line): GitChange[] => {
    const [, commit, address = "", author = ""] = /^([0-9a-f]{40,64}) ([^\t]*)\t(.*)$/.exec(line) ?? [];
    if (commit !== undefined) by = { address, author, commit };
    const [, id = "", path] = /^:\d+ \d+ [0-9a-f]+ ([0-9a-f]+) [A-Z]\d*\t(.+)$/.exec(line) ?? [];
    return by && path !== undefined ? [{ ...by, id, path }] : [];
  });
}

/** Git's ids of these contents as they are, and with git's line endings, in both of its formats. */
export function nameObjects(contents: Uint8Array): string[] {
  const text = Buffer.from(contents).toString("latin1");
  const forms = [text, text.replaceAll("\r\n", "\n")].map((form) => `blob ${form.length}\0${form}`);
  const digestBy = (kind: string) => (form: string) => createHash(kind).update(form, "latin1").digest("hex");
  return [...forms.map(digestBy("sha1")), ...forms.map(digestBy("sha256"))];
}

async function readOwnCommits(
  folder: GitFolder,
  { files, isInTurn, logEnd, nowMs, ownFolder }: OriginOptions,
): Promise<ReadonlySet<string>> {
  if (folder.own !== ownFolder) return new Set();
  const lines = await readLog(files, folder);
  // If that line is gone, git has dropped it with all older ones.
  const from = logEnd === undefined ? 0 : lines.findLastIndex((line) => hashOf(line) === logEnd) + 1;
  return new Set(
    lines.slice(from).flatMap((line) => {
      const [, commit = "", seconds] = COMMIT.exec(line) ?? [];
      const atMs = Number(seconds) * 1000;
      // Whether an agent worked before that is not known any more.
      return atMs >= nowMs - KEPT_DAYS * DAY_MS && !isInTurn(atMs, atMs + 999) ? [commit] : [];
    }),
  );
}

/** Digest of the last line of the reflog now; `undefined` if there is none. */
export async function readLogEnd(
  files: OriginOptions["files"],
  folder: GitFolder,
): Promise<string | undefined> {
  const last = (await readLog(files, folder)).at(-1);
  return last === undefined ? undefined : hashOf(last);
}

/** Commits that were made in this work tree, by whomever. */
export const readMadeHere = async (files: OriginOptions["files"], folder: GitFolder): Promise<string[]> =>
  (await readLog(files, folder)).flatMap((line) => COMMIT.exec(line)?.[1] ?? []);

async function readLog(files: OriginOptions["files"], { own }: GitFolder): Promise<string[]> {
  const text = await readPlainText(files, join(own, "logs", "HEAD"));
  return text.split("\n").filter((line) => line !== "");
}

/*
 * The main worktree of a linked one, so that both use the same memories. Only worktrees that git's own directory lists
 * count: an unpacked archive can bring a `.git` file that names any repository.
 */

/** "auto": only if this worktree has no memories and the main one has. */
export type WorktreeSharing = boolean | "auto";

/**
 * The folder whose `.opencode/memory` holds this project's memories; the project itself if it shares none, or if a folder
 * cannot be read, which is passed to `report`.
 */
export async function findMemoryProject(
  files: Pick<Files, "list" | "read" | "realPath" | "statItself">,
  project: string,
  sharing: () => Promise<WorktreeSharing>,
  report: (problem: string) => void,
): Promise<string> {
  try {
    const main = await findMain(files, project);
    const wanted = main !== undefined && (await sharing());
    if (main === undefined || !wanted) return project;
    if (wanted === true) return main;
    const hasOwn = await hasMemories(files, project);
    return !hasOwn && (await hasMemories(files, main)) ? main : project;
  } catch (thrown) {
    report(`using the memories of this folder, not those of its main worktree: ${formatError(thrown)}`);
    return project;
  }
}

/** The same folder in the main worktree; `undefined` if this is the main one, or there is none. */
async function findMain(
  files: Pick<Files, "read" | "realPath" | "statItself">,
  project: string,
): Promise<string | undefined> {
  // Most projects are not linked worktrees, and this one check tells.
  if ((await files.statItself(join(project, ".git")))?.kind === "folder") return undefined;
  const root = (await files.realPath(project)) ?? project;
  const git = await findGitFolder(files, root);
  if (typeof git === "string" || git.own === git.common) return undefined;
  const { common, own, top } = git;
  // Git's directory contains the folder of a linked worktree; a bare repository has no main worktree.
  if (dirname(own) !== join(common, "worktrees") || basename(common) !== ".git") return undefined;
  const main = join(dirname(common), relative(top, root));
  return (await files.statItself(main))?.kind === "folder" ? main : undefined;
}

async function hasMemories(files: Pick<Files, "list">, project: string): Promise<boolean> {
  const names = await files.list(join(project, ".opencode", "memory"));
  return names.some((name) => isType(name) || ["archive", "ledger", "private"].includes(name));
}
