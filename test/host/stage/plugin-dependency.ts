/**
 * Keeps the host from running `npm install` at every start.
 *
 * In each configuration folder (the global one, the project's `.opencode`) the host installs
 * `@opencode-ai/plugin` in the background, and plugins and custom tools load only afterwards. It skips a
 * folder with `node_modules` whose `package-lock.json` lists, at the root, every dependency of
 * `package.json` and that package. So this writes both files and links the package to the one installed in
 * this repository; custom tools can import it as usual.
 */

import { existsSync } from "node:fs";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const name = "@opencode-ai/plugin";
const require = createRequire(import.meta.url);

/** Provides the plugin package in a configuration folder, unless it already has `node_modules`. */
export async function providePluginPackage(folder: string): Promise<void> {
  const modules = join(folder, "node_modules");
  if (existsSync(modules)) return;
  const link = join(modules, name);
  await mkdir(dirname(link), { recursive: true });
  await symlink(installedFolder(), link, "junction");

  const manifest = existsSync(join(folder, "package.json"))
    ? (JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as { dependencies?: object })
    : {};
  const dependencies = { ...manifest.dependencies, [name]: "*" };
  const lock = { lockfileVersion: 3, packages: { "": { dependencies } } };
  await writeFile(join(folder, "package.json"), JSON.stringify({ ...manifest, dependencies }, null, 2));
  await writeFile(join(folder, "package-lock.json"), JSON.stringify(lock, null, 2));
}

/** Searches the folders, since the package exports nothing that `require.resolve` could resolve. */
function installedFolder(): string {
  const places = (require.resolve.paths(name) ?? []).map((modules) => join(modules, name));
  const found = places.find((folder) => existsSync(join(folder, "package.json")));
  if (!found) throw new Error(`${name} is not installed; looked in ${places.join(", ")}`);
  return found;
}
