/** Packages of the repository's own `node_modules` as projects in memory, with real third-party manifests. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { PROJECT } from "./fake-host.js";
import { createMemoryFiles, type MemoryFiles } from "./memory-files.js";

const MODULES = fileURLToPath(new URL("../../node_modules", import.meta.url));
const MOST_BYTES = 256 * 1024;

/** The files of a package at the top and in hidden folders, as a project with a repository. */
export function openPackage(name: string): MemoryFiles {
  const files: Record<string, Uint8Array> = { [`${PROJECT}/.git/HEAD`]: Buffer.from("x") };
  const add = (folder: string): void => {
    for (const one of readdirSync(join(MODULES, name, folder))) {
      const path = join(folder, one);
      const stat = statSync(join(MODULES, name, path));
      if (stat.isFile() && stat.size <= MOST_BYTES)
        files[`${PROJECT}/${path}`] = readFileSync(join(MODULES, name, path));
      if (stat.isDirectory() && path.startsWith(".")) add(path);
    }
  };
  add("");
  return createMemoryFiles(files);
}
