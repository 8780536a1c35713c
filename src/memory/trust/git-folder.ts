/**
 * Finds git's folder of a project without running git. A clone never contains one, but an archive may, so only what can
 * be checked is trusted: links are not followed, and a `.git` file counts only if the folder that it names points back.
 */
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
