import { existsSync, watch } from "node:fs";
import { basename, dirname } from "node:path";

/** Resolves when a file or folder that exists has gone from the folder above it. */
export function whenRemoved(path: string): Promise<void> {
  return new Promise((resolve) => {
    const watcher = watch(dirname(path), (_, name) => {
      if (name !== basename(path) || existsSync(path)) return;
      watcher.close();
      resolve();
    });
  });
}
