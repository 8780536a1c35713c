/**
 * The project that the demo works on: this repository's own files, those of its packages that the story reads, and,
 * where it is at hand, its history.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { sources } from "../host/repository.js";
import type { Project } from "../host/stage/project.js";

const NOT_OURS = new Set([".git", ".opencode", "dist", "node_modules"]);

/** The files of this repository by relative path: those that git tracks, or all, where git does not know. */
export function readRepository(): Record<string, Uint8Array> {
  const paths = (listTracked() ?? listAll()).filter((path) =>
    statSync(join(sources, path), { throwIfNoEntry: false })?.isFile(),
  );
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(sources, path))]));
}

/** These files of installed packages, by relative path. Throws where one is not there. */
export function readPackageFiles(paths: readonly string[]): Record<string, Uint8Array> {
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(sources, path))]));
}

/**
 * Puts this repository's history in the place of the project's one commit. Where there is none, as in an unpacked
 * archive, or git will not read it, the project keeps its commit, whose diff is the whole tree.
 */
export function takeOverHistory(project: Project): void {
  if (!existsSync(join(sources, ".git"))) return;
  const git = (...args: string[]) =>
    runGit(project.path, "-c", "gc.auto=0", "-c", "maintenance.auto=0", ...args);
  try {
    // From a shallow clone too: what it has is enough.
    git("fetch", "--quiet", "--no-tags", "--update-shallow", sources, "HEAD");
    git("reset", "--quiet", "FETCH_HEAD");
  } catch {
    // The one commit will do.
  }
}

function listTracked(): string[] | undefined {
  if (!existsSync(join(sources, ".git"))) return undefined;
  try {
    return runGit(sources, "ls-files", "-z").split("\0").filter(Boolean);
  } catch {
    return undefined;
  }
}

function listAll(): string[] {
  const top = readdirSync(sources).filter((name) => !NOT_OURS.has(name));
  return top.flatMap((name) => {
    if (!statSync(join(sources, name)).isDirectory()) return [name];
    const below = readdirSync(join(sources, name), { recursive: true, encoding: "utf8" });
    return below.map((path) => join(name, path));
  });
}

/** With the user's own settings, which say whose repositories git may read, but never asking the network. */
function runGit(cwd: string, ...args: string[]): string {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_"));
  const env = { ...Object.fromEntries(own), GIT_NO_LAZY_FETCH: "1", GIT_TERMINAL_PROMPT: "0" };
  return execFileSync("git", args, { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
}
