/**
 * A temporary project for a host: a git repository with one commit and, under the same temporary root,
 * everything the host would otherwise keep in the user's home.
 *
 *     <root>/project/                     the repository
 *     <root>/home, config, data, …        HOME and the XDG folders
 *     <root>/tmp/                         TMPDIR, where the host unpacks its native parts
 */

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { planKnownProject } from "../../support/known-project.js";
import { removeFolder } from "../../support/remove-folder.js";
import { entrust } from "./keeper.js";

/** The folders that isolate a host from its user. */
export interface HostFolders {
  home: string;
  config: string;
  data: string;
  state: string;
  cache: string;
  tmp: string;
}

/** A project on disk. */
export interface Project {
  /** The temporary folder that holds everything. */
  readonly root: string;
  /** The repository. */
  readonly path: string;
  /** The user's `opencode.json`. */
  readonly configFile: string;
  readonly folders: HostFolders;
  /** Absolute path of a file in the repository. */
  file(relativePath: string): string;
  /** The text of a file of the repository; throws if it does not exist. */
  read(relativePath: string): string;
  /** Writes a file of the repository, creating folders; does not commit it. */
  write(relativePath: string, contents: string | Uint8Array): Promise<void>;
  /** Removes everything under `root`. */
  remove(): Promise<void>;
}

/** Creates a repository with these files, by relative path, in one commit. */
export async function createProject(
  files: Record<string, string | Uint8Array> = {},
  { isCloned = false }: { isCloned?: boolean } = {},
): Promise<Project> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "strata-stage-")));
  const release = entrust({ folder: root });
  const folders = foldersUnder(root);
  for (const folder of Object.values(folders)) await mkdir(folder);
  const path = join(root, "project");
  const project = openProject({ root, folders, path, configFile: join(path, "opencode.json") }, async () => {
    removeFolder(root);
    release();
  });
  await fill(project, files);
  if (!isCloned) await makeKnown(project);
  return project;
}

/** Another repository of the same user under the same root; `number` distinguishes them. */
export async function createNextProject(
  { configFile, folders, root }: Project,
  files: Record<string, string | Uint8Array>,
  number: number,
  { isCloned = false }: { isCloned?: boolean } = {},
): Promise<Project> {
  const path = join(root, `project-${number}`);
  const project = openProject({ root, folders, path, configFile }, async () => removeFolder(path));
  await fill(project, files);
  if (!isCloned) await makeKnown(project, number.toString(16).padStart(32, "0"));
  return project;
}

function openProject(
  { configFile, folders, path, root }: Pick<Project, "configFile" | "folders" | "path" | "root">,
  remove: () => Promise<void>,
): Project {
  return {
    root,
    path,
    configFile,
    folders,
    file: (relativePath) => join(path, relativePath),
    read: (relativePath) => readFileSync(join(path, relativePath), "utf8"),
    async write(relativePath, contents) {
      await mkdir(dirname(join(path, relativePath)), { recursive: true });
      await writeFile(join(path, relativePath), contents);
    },
    remove,
  };
}

async function fill(project: Project, files: Record<string, string | Uint8Array>): Promise<void> {
  await mkdir(project.path);
  for (const [relativePath, contents] of Object.entries(files)) await project.write(relativePath, contents);
  commitAll(project);
}

function foldersUnder(root: string): HostFolders {
  const names = ["home", "config", "data", "state", "cache", "tmp"] as const;
  return Object.fromEntries(names.map((name) => [name, join(root, name)])) as unknown as HostFolders;
}

/** Marks the project as one its user has worked in with Strata, so that the test's files are theirs. */
async function makeKnown({ folders, path }: Project, id?: string): Promise<void> {
  const places = {
    ...(id !== undefined && { id }),
    root: path,
    idFolder: join(path, ".git"),
    stateFolder: join(folders.state, "opencode-strata"),
  };
  for (const [file, text] of Object.entries(planKnownProject(places))) {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
}

function commitAll({ path, folders }: Project): void {
  const identity = ["-c", "user.name=Stage", "-c", "user.email=stage@example.invalid"];
  const env = { PATH: process.env.PATH, HOME: folders.home, GIT_CONFIG_NOSYSTEM: "1" };
  const git = (...args: string[]) => execFileSync("git", args, { cwd: path, env, stdio: "pipe" });
  git("-c", "init.defaultBranch=main", "init", "--quiet");
  git("add", "--all", "--force");
  // The host treats repositories with the same first commit as one project.
  const message = `Set the stage in ${basename(path)}`;
  git(...identity, "commit", "--quiet", "--allow-empty", "--message", message);
}
