/**
 * Finds git's folder of a project without running git. A clone never contains one, but an archive may, so only what can
 * be checked is trusted: links are not followed, and a `.git` file counts only if the folder that it names points back.
 */
import { randomBytes } from "node:crypto";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { type Files, readPlainText } from "../../io/files.js";

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
