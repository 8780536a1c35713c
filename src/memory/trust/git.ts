/**
 * What git knows of a project: its folder, its identity, its remotes, and which files came from it.
 *
 * Finds git's folder of a project without running git. A clone never contains one, but an archive may, so only what can
 * be checked is trusted: links are not followed, and a `.git` file counts only if the folder that it names points back.
 */
import { createHash, randomBytes } from "node:crypto";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { DAY_MS } from "../../base/days.js";
import { hashOf } from "../../base/hash.js";
import { type Files, readPlainText } from "../../io/files.js";
import type { Git } from "../../io/host.js";
import { type IsInTurn, KEPT_DAYS } from "./turns.js";

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

/**
 * Remotes in the repository's configuration, as `host/owner/name`. A remote without such a name, and a setting that
 * redirects remotes, is returned verbatim.
 */
export async function readRemotes(files: Reading, { common }: GitFolder): Promise<string[]> {
  const text = await readPlainText(files, join(common, "config"));
  const found: string[] = [];
  let isRemote = false;
  for (const line of text.split(/\r?\n/)) {
    const [, section, rest = line] = /^\s*\[([^\]]*)\](.*)$/.exec(line) ?? [];
    if (section !== undefined) isRemote = /^remote\s/i.test(section);
    if (section !== undefined && /^(url|include|includeif)\b/i.test(section)) found.push(section);
    const [, url] = (isRemote && /^\s*url\s*=\s*"?([^"\s]+)/i.exec(rest)) || [];
    if (url !== undefined) found.push(nameRemote(url) ?? url);
  }
  return found;
}

/** `git@github.com:acme/shop.git` and `https://github.com/acme/shop` are both `github.com/acme/shop`. Pure. */
export function nameRemote(url: string): string | undefined {
  const [, host, path] =
    /^[a-z][a-z0-9+.-]*:\/\/(?:[^@/]*@)?([^/:]+)(?::\d+)?\/(.+)$/i.exec(url) ??
    /^(?:[^@/:]+@)?([^/:]{2,}):([^/].*)$/.exec(url) ??
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

/** Path relative to the top of the work tree, with `/`; `undefined` if outside. Pure. */
export function pathInTree(top: string, path: string): string | undefined {
  const inside = relative(top, path).replaceAll("\\", "/");
  return inside === "" || inside.startsWith("../") || isAbsolute(inside) ? undefined : inside;
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

const ID_FILE = "opencode-strata-id";
const ID = /^[0-9a-f]{32}$/;
const MOST_IDS = 20;

/** Creates an ID if there is no valid one; with `isBrief` the ID is empty then. Rejects with the system's error. */
export async function identify({
  begin,
  files,
  isBrief,
  isKnown,
  project,
}: IdentityOptions): Promise<Identity> {
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

/* Projects that the user's own configuration always trusts. */

export interface AcceptedPlaces {
  /** Absolute paths; one that ends in `/*` matches all folders below. */
  projects: readonly string[];
  /** `host/owner/name`; `host/owner/*` matches all repositories of an owner. */
  remotes: readonly string[];
}

/** Is the project accepted, by its path or by all of its remotes? */
export async function isAccepted(
  files: Files,
  { projects, remotes }: AcceptedPlaces,
  { git, root }: Identity,
): Promise<boolean> {
  const fits = (wanted: string, given: string): boolean =>
    wanted.endsWith("/*") ? given.startsWith(wanted.slice(0, -1)) : wanted.replace(/\/+$/, "") === given;
  if (projects.some((one) => fits(one, root))) return true;
  if (!git || remotes.length === 0) return false;
  const named = await readRemotes(files, git);
  // The checked-out files may come from any of them.
  return named.length > 0 && named.every((name) => remotes.some((one) => fits(one.toLowerCase(), name)));
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
/** Attributes that make the file in the work tree differ from git's. */
const CONVERTING = ["ident", "working-tree-encoding", "filter"];
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
  const inTree = folder === "unknown" ? undefined : pathInTree(folder.top, path);
  if (folder === "unknown" || inTree === undefined || !git) return true;
  for (const name of UNDER_WAY) if (await files.statItself(join(folder.own, name))) return true;
  const ask: Ask = (args, input) =>
    git.ask(args, { folder: folder.top, ...(input !== undefined && { input }) });
  if (await isConverted(ask, inTree)) return true;
  const having = await findCommits(ask, { contents, inTree }, await readPassing(files, folder));
  if (!having || having.length === 0) return having === undefined;
  const made = await readOwnCommits(folder, options);
  return having.some((commit) => !made.has(commit));
}

type Ask = (args: readonly string[], input?: string | Uint8Array) => Promise<string | undefined>;

/** Does git convert this file at checkout, or is that unknown? Runs no filter program. */
async function isConverted(ask: Ask, inTree: string): Promise<boolean> {
  const fields = (await ask(["check-attr", "-z", ...CONVERTING, "--", inTree]))?.split("\0");
  // For each attribute the path, its name and its value.
  return !fields || fields.some((value, n) => n % 3 === 2 && value !== "unspecified" && value !== "unset");
}

async function readPassing(files: OriginOptions["files"], { own }: GitFolder): Promise<string[]> {
  const texts = await Promise.all(PASSING.map((name) => readPlainText(files, join(own, name))));
  return texts.flatMap((text) => text.match(/^[0-9a-f]{40,64}\b/gm) ?? []).slice(0, MOST_COMMITS);
}

/** Commits that have these contents at this path; `undefined` if git did not answer, or if there are too many. */
async function findCommits(
  ask: Ask,
  { contents, inTree }: { contents: Uint8Array; inTree: string },
  passing: readonly string[],
): Promise<readonly string[] | undefined> {
  // As they are, and with git's line endings.
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(contents);
  const forms = text.includes("\r\n") ? [contents, text.replaceAll("\r\n", "\n")] : [contents];
  const objects = await Promise.all(forms.map((form) => ask(["hash-object", "--stdin"], form)));
  const from = ["--all", "--reflog", "--full-history", "--ignore-missing", ...passing];
  const listed = await ask(["rev-list", `--max-count=${MOST_COMMITS + 1}`, ...from, "--", inTree]);
  const commits = listed?.split("\n").filter((line) => line !== "");
  if (objects.includes(undefined) || !commits || commits.length > MOST_COMMITS) return undefined;
  if (commits.length === 0) return [];
  const names = commits.map((commit) => `${commit}:${inTree}\n`).join("");
  // One line per name: `<object> blob <bytes>`, or that it is missing.
  const found = (await ask(["cat-file", "--batch-check"], names))?.trimEnd().split("\n");
  if (found?.length !== commits.length) return undefined;
  const wanted = new Set(objects.map((object) => object?.trim()));
  return commits.filter((_, n) => wanted.has(found[n]?.split(" ")[0]));
}

async function readOwnCommits(
  folder: GitFolder,
  { files, isInTurn, logEnd, nowMs, ownFolder }: OriginOptions,
): Promise<ReadonlySet<string>> {
  if (folder.own !== ownFolder) return new Set();
  const lines = await readLog(files, folder);
  // If that line is gone, git has dropped it with all older ones.
  const from = logEnd === undefined ? 0 : lines.findLastIndex((line) => digest(line) === logEnd) + 1;
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
  return last === undefined ? undefined : digest(last);
}

async function readLog(files: OriginOptions["files"], { own }: GitFolder): Promise<string[]> {
  const text = await readPlainText(files, join(own, "logs", "HEAD"));
  return text.split("\n").filter((line) => line !== "");
}

const digest = (line: string): string => createHash("sha256").update(line).digest("hex").slice(0, 32);
