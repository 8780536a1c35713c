/** Reads a remote as the user names it: a URL, a folder, or the name of one of the project's remotes. */
import { join, resolve } from "node:path";
import { StrataError } from "../../base/error.js";
import { type Files, readPlainText } from "../../io/files.js";
import { findGitFolder } from "../../memory/trust/git-folder.js";
import { WRONG_ARGUMENT } from "../../operations/arguments.js";
import { listRemotes } from "../../sources/entities/home.js";
import { findSecrets } from "../../text/secrets/secrets.js";

export interface ChosenRemote {
  url: string;
  /** A remote of the project's code, so others may write there. */
  isProjects: boolean;
}

export async function chooseRemote(
  files: Files,
  given: string,
  { folder, root }: { folder: string; root: string },
): Promise<ChosenRemote> {
  if (given === "" || given.startsWith("-")) throw wrong(`"${given}"`);
  const remotes = await readRemotes(files, root);
  const named = remotes.find(({ name }) => name === given);
  const url = named?.url ?? resolveIn(folder, given);
  // An unpacked repository can bring its own configuration, and git would run the program that this option names.
  if (url.startsWith("-")) throw wrong("a URL that git reads as an option,");
  if (/^[a-z][\w.+-]*::/i.test(url)) throw wrong(`"${given}", which runs a program,`);
  const [, user = ""] = /\/\/([^/@]*)@/.exec(url) ?? [];
  if (user.includes(":") || findSecrets(url).length > 0)
    throw wrong("a URL with a password or key; use git's credential helper or ssh instead");
  return { url, isProjects: named !== undefined || remotes.some((one) => one.url === url) };
}

export function checkBranch(branch: string): string {
  const isName = /^[\w][\w./-]{0,100}$/.test(branch) && !/\.\.|\/\/|\.lock(\/|$)|[./]$/.test(branch);
  if (isName) return branch;
  throw new StrataError(
    WRONG_ARGUMENT,
    `--branch must be a branch name, such as strata-memory, not "${branch}"`,
  );
}

/** `scheme://…` or `host:path`, but not a path with a drive letter; everything else is a folder. */
const isAddress = (given: string): boolean =>
  /^[a-z][a-z0-9+.-]*(:\/\/|::)/i.test(given) || /^[^/\\]{2,}:[^\\]/.test(given);

const resolveIn = (folder: string, given: string): string =>
  isAddress(given) ? given : resolve(folder, given);

/** Resolves folders from the top of the work tree, as git does. */
async function readRemotes(files: Files, root: string): Promise<{ name: string; url: string }[]> {
  const git = await findGitFolder(files, (await files.realPath(root)) ?? root);
  if (typeof git === "string") return [];
  const remotes = listRemotes(await readPlainText(files, join(git.common, "config")));
  return remotes.map(({ name, url }) => ({ name, url: resolveIn(git.top, url) }));
}

const wrong = (came: string): StrataError =>
  new StrataError(
    WRONG_ARGUMENT,
    `expected a git remote, such as origin, git@github.com:me/memories.git or /mnt/usb/memories.git, ${came} came`,
  );
