/**
 * Finds the real OpenCode binary that npm installed.
 *
 * The package `opencode-ai` contains a stub of a few hundred bytes; its install script replaces it with the
 * platform's binary. If install scripts are blocked, the stub stays and the binary is in a separate package
 * such as `opencode-linux-x64`. There may be several (with and without AVX2, glibc and musl), so each is
 * tried until one runs.
 */

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { patiently } from "../../support/patience.js";

const require = createRequire(import.meta.url);
const smallestBinaryBytes = 1_000_000;

/**
 * The path of a binary that runs here; throws with the paths tried if there is none. `packageFolder` is the
 * folder of `opencode-ai`, by default the installed one; the platform packages are next to it. STRATA_OPENCODE names
 * another binary, such as that of a newer version.
 */
export function findOpenCode(packageFolder?: string): string {
  const other = process.env.STRATA_OPENCODE;
  return packageFolder === undefined && other ? other : findIn(packageFolder ?? installedFolder());
}

function findIn(packageFolder: string): string {
  const installed = join(packageFolder, "bin", "opencode.exe");
  if (existsSync(installed) && statSync(installed).size >= smallestBinaryBytes) return installed;
  const candidates = platformBinaries(packageFolder);
  const found = candidates.find((path) => existsSync(path) && runs(path));
  if (found) return found;
  const tried = [installed, ...candidates].join("\n  ");
  throw new Error(
    `No OpenCode binary runs here. Tried:\n  ${tried}\nRun "npm install" with install scripts allowed.`,
  );
}

/** OpenCode 2, which npm has for Linux on x64 only. */
export function findOpenCode2(): string {
  try {
    return require.resolve("@opencode/cli-linux-x64-baseline/bin/opencode");
  } catch {
    throw new Error(
      'No OpenCode 2 is installed. Run "npm ci" on Linux (x64), the only system it is published for.',
    );
  }
}

function installedFolder(): string {
  return dirname(require.resolve("opencode-ai/package.json"));
}

function platformBinaries(packageFolder: string): string[] {
  const manifest = JSON.parse(readFileSync(join(packageFolder, "package.json"), "utf8")) as {
    optionalDependencies?: Record<string, string>;
  };
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const base = `opencode-${platform}-${process.arch}`;
  const binary = process.platform === "win32" ? "opencode.exe" : "opencode";
  return Object.keys(manifest.optionalDependencies ?? {})
    .filter((name) => name === base || name.startsWith(`${base}-`))
    .sort((a, b) => a.length - b.length)
    .map((name) => join(dirname(packageFolder), name, "bin", binary));
}

function runs(path: string): boolean {
  return spawnSync(path, ["--version"], { stdio: "ignore", timeout: patiently(20_000) }).status === 0;
}
