/** Finds the project on a forge from its git remotes, without running git. */
import { join } from "node:path";
import { type Files, readPlainText } from "../../io/files.js";
import { findGitFolder, nameRemote } from "../../memory/trust/git-folder.js";
import { type Forge, findHome, type Home } from "./forges.js";

/** A fork's issues are those of its upstream project. */
const ORDER = ["upstream", "origin"];

/** `undefined` if there is no repository, or no remote on these hosts. Rejects with the system's error. */
export async function readHome(
  files: Files,
  project: string,
  forges: readonly Forge[],
): Promise<Home | undefined> {
  const root = (await files.realPath(project)) ?? project;
  const git = await findGitFolder(files, root);
  if (typeof git === "string") return undefined;
  const remotes = listRemotes(await readPlainText(files, join(git.common, "config")));
  const rank = (name: string): number => (ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length);
  for (const { url } of remotes.toSorted((a, b) => rank(a.name) - rank(b.name))) {
    const home = findHome(nameRemote(url) ?? "", forges);
    if (home) return home;
  }
  return undefined;
}

/** Names and addresses of the remotes in a git configuration. Pure. */
export function listRemotes(config: string): { name: string; url: string }[] {
  const found: { name: string; url: string }[] = [];
  let remote: string | undefined;
  for (const line of config.split(/\r?\n/)) {
    const [, section] = /^\s*\[([^\]]*)\]/.exec(line) ?? [];
    if (section !== undefined) remote = /^remote\s+"(.*)"$/i.exec(section)?.[1];
    const [, url] = /^\s*url\s*=\s*"?([^"\s]+)/i.exec(line) ?? [];
    if (remote !== undefined && url !== undefined) found.push({ name: remote, url });
  }
  return found;
}
