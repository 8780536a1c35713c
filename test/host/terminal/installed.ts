/** Installs the packed package in a project, in the ways that its user has. Needs no network. */
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { delimiter, dirname, join } from "node:path";
import { findHost, runOpenCode } from "../stage/opencode.js";
import { findArchive } from "../stage/packed.js";
import type { Project } from "../stage/project.js";
import { HOST } from "../stage/which-host.js";

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

/** `npm install --global` of the archive, below the project's root. Rejects if npm has anything to warn of. */
export function installGlobally(project: Project): void {
  const warned = npm(project, "install", "--global", findArchive(project.root));
  if (/warn/i.test(warned)) throw new Error(`npm install has warned:\n${warned}`);
}

export const uninstallGlobally = (project: Project): void =>
  void npm(project, "uninstall", "--global", "opencode-strata");

function npm(project: Project, ...args: string[]): string {
  const flags = ["--no-audit", "--no-fund", "--prefer-offline", "--no-update-notifier"];
  const { status, stderr } = spawnSync("npm", [...args, "--prefix", join(project.root, "npm"), ...flags], {
    cwd: project.root,
    encoding: "utf8",
    env: { PATH: process.env.PATH, HOME: project.folders.home },
  });
  if (status !== 0) throw new Error(`npm ${args[0]} ended with ${status}:\n${stderr}`);
  return stderr;
}

/** The installed command in the project, with OpenCode in the PATH; returns its exit code and what it printed. */
export function installedStrata(
  { folders, path, root }: Project,
  ...args: string[]
): { code: number | null; out: string } {
  const env = {
    ...{ PATH: [dirname(findHost()), process.env.PATH].join(delimiter), HOME: folders.home },
    ...{ XDG_CONFIG_HOME: folders.config, XDG_DATA_HOME: folders.data, XDG_STATE_HOME: folders.state },
    XDG_CACHE_HOME: folders.cache,
  };
  const { status, stderr, stdout } = spawnSync(join(root, "npm/bin/strata"), args, {
    cwd: path,
    encoding: "utf8",
    env,
  });
  return { code: status, out: `${stdout}${stderr}` };
}

/** A package registry on a local port that has one package, from its archive, and no other. */

interface PackageRegistry extends AsyncDisposable {
  readonly url: string;
  /** Requests, such as `GET /opencode-strata`. */
  readonly asked: readonly string[];
}

async function startPackageRegistry(archive: string): Promise<PackageRegistry> {
  const bytes = readFileSync(archive);
  const text = execFileSync("tar", ["-xzOf", archive, "package/package.json"], { encoding: "utf8" });
  const manifest = JSON.parse(text) as { name: string; version: string };
  const { name, version } = manifest;
  const path = `/${name}/-/${name}-${version}.tgz`;
  const asked: string[] = [];
  const server = createServer(({ headers, method, url = "" }, response) => {
    asked.push(`${method} ${url}`);
    if (url === path) return void response.end(bytes);
    if (url !== `/${name}`) return void response.writeHead(404).end("{}");
    const integrity = `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
    const dist = { tarball: `http://${headers.host}${path}`, integrity };
    const versions = { [version]: { ...manifest, dist } };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ name, "dist-tags": { latest: version }, versions }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    asked,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
