/** The package of an earlier commit, built as it was then from what the history has of it. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { removeFolder } from "../../support/remove-folder.js";
import { sources } from "../repository.js";
import { entrust } from "./keeper.js";

/** Paths not needed to build and run it. */
const LEFT_OUT = ["test", "docs"].map((folder) => `:(exclude)${folder}`);
const BUILD_MS = 60_000;

export interface EarlierPackage {
  /** For the host's `plugin` setting. */
  readonly folder: string;
  remove(): void;
}

/** Whether the history has the commit; a shallow clone or an exported tree may not. */
export function hasCommit(commit: string): boolean {
  return spawnSync("git", ["cat-file", "-e", `${commit}^{tree}`], { cwd: sources }).status === 0;
}

/** Takes a few seconds, at most a minute. It runs with the packages that this checkout has installed. */
export function buildEarlierPackage(commit: string): EarlierPackage {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "strata-earlier-")));
  const release = entrust({ folder });
  const remove = (): void => {
    removeFolder(folder);
    release();
  };
  try {
    const archive = join(folder, "tree.tar");
    run("git", ["archive", "--output", archive, commit, "--", ".", ...LEFT_OUT], sources);
    run("tar", ["-xf", archive], folder);
    rmSync(archive);
    symlinkSync(join(sources, "node_modules"), join(folder, "node_modules"), "junction");
    run("npm", ["run", "build"], folder);
  } catch (error) {
    remove();
    throw error;
  }
  return { folder, remove };
}

function run(command: string, args: readonly string[], cwd: string): void {
  execFileSync(command, args, { cwd, stdio: ["ignore", "pipe", "pipe"], timeout: BUILD_MS });
}
