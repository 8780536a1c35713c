/** Installs the packed package in a project, in the ways that its user has. Needs no network. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { runOpenCode } from "../stage/opencode.js";
import { findArchive } from "../stage/packed.js";
import type { Project } from "../stage/project.js";
import { HOST } from "../stage/which-host.js";
import { startPackageRegistry } from "./package-registry.js";

/** `opencode plugin opencode-strata`, in OpenCode 2 with `add`, from a registry that has only this package. Returns what the host said. */
export async function installByHost(project: Project): Promise<string> {
  await using registry = await startPackageRegistry(findArchive(project.root));
  const args = ["plugin", ...(HOST === 2 ? ["add"] : []), "opencode-strata"];
  const { code, log, out } = await runOpenCode(project, args, {
    npm_config_registry: registry.url,
    npm_config_offline: "false",
  });
  if (code !== 0) throw new Error(`opencode plugin ended with ${code}:\n${out}${log}`);
  return out;
}

/** `npm install` of the archive. */
export async function installByNpm(project: Project): Promise<void> {
  await project.write("package.json", '{"private": true}');
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"];
  const env = { PATH: process.env.PATH, HOME: project.folders.home };
  execFileSync("npm", ["install", findArchive(project.root), ...flags], {
    cwd: project.path,
    env,
    stdio: "ignore",
  });
}

/** The installed command, `node_modules/.bin/strata`, in the project; returns what it printed. */
export function installedStrata({ folders, path }: Project, ...args: string[]): string {
  const env = {
    ...{ PATH: process.env.PATH, HOME: folders.home },
    ...{ XDG_CONFIG_HOME: folders.config, XDG_DATA_HOME: folders.data, XDG_STATE_HOME: folders.state },
    XDG_CACHE_HOME: folders.cache,
  };
  return execFileSync(join(path, "node_modules/.bin/strata"), args, { cwd: path, encoding: "utf8", env });
}
