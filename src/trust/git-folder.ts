/**
 * Where git keeps what it knows of a folder, read without git. A clone brings none of it; an archive may bring a `.git`
 * of its own, so nothing in there is believed but what can be checked: links are not followed, and a `.git` file counts
 * only where the folder that it names points back.
 */
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { type Files, readPlainText } from "../seams/files.js";

export interface GitFolder {
  /** The uppermost folder of the work tree. */
  top: string;
  /** Shared by all work trees of the repository. */
  common: string;
  /** Of this work tree; the same as `common` in the first one. */
  own: string;
}

type Reading = Pick<Files, "read" | "realPath" | "statItself">;

/**
 * That of the nearest repository from this folder upwards; `unknown` where what stands there is not believed. `root` has
 * no links on it.
 */
export async function findGitFolder(files: Reading, root: string): Promise<GitFolder | "none" | "unknown"> {
  for (let top = root; ; top = dirname(top)) {
    const path = join(top, ".git");
    const kind = (await files.statItself(path))?.kind;
    if (kind === "folder")
      return (await isFile(files, join(path, "HEAD"))) ? { top, common: path, own: path } : "unknown";
    if (kind === "file") return (await readGitFile(files, top, path)) ?? "unknown";
    // A link leads where somebody else wants it to.
    if (kind !== undefined) return "unknown";
    if (dirname(top) === top) return "none";
  }
}

/**
 * The remotes that the repository's configuration names, each as `host/owner/name`; one that has no such name, and what
 * may turn one remote into another, as it stands there.
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

/** `gitdir: …`, of a further work tree or a submodule. */
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

/** From the top of the work tree, with `/`; `undefined` where it lies outside. Pure. */
export function pathInTree(top: string, path: string): string | undefined {
  const inside = relative(top, path).replaceAll("\\", "/");
  return inside === "" || inside.startsWith("../") || isAbsolute(inside) ? undefined : inside;
}

async function isFile(files: Reading, path: string): Promise<boolean> {
  return (await files.statItself(path))?.kind === "file";
}
