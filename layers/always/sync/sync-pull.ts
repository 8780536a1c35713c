/** Pulls memories from the user's remotes once, in the background after the host's first event. */
import { join } from "node:path";
import { formatError } from "../../../src/base/error.js";
import type { Layer } from "../../../src/kernel/layer.js";
import type { KernelContext } from "../../../src/kernel/layer-context.js";
import { locateSync, SYNC_CONFIG } from "../../../src/sync/sync-state.js";

export function createSyncPull(options: KernelContext): Layer {
  const { background, config, files, folders, host, log } = options;
  let hasBegun = false;

  return {
    name: "sync",
    phase: "before",
    handlers: {
      event() {
        if (hasBegun || !config.sync.pullOnStart || !host.openRemoteGit) return undefined;
        hasBegun = true;
        void background.add(() => pull().catch((thrown) => log.warn("sync", formatError(thrown))));
        return undefined;
      },
    },
  };

  /** Without a remote, this only checks for two files and loads nothing. */
  async function pull(): Promise<void> {
    const { stateFolder } = host;
    const given = { project: folders.memoryProject, stateFolder };
    const all = [await locateSync(files, "project", given), await locateSync(files, "global", given)];
    const isThere = await Promise.all(all.map(({ folder }) => files.stat(join(folder, SYNC_CONFIG))));
    const places = all.filter((_, n) => isThere[n]);
    const git = places.length > 0 ? await host.openRemoteGit?.() : undefined;
    if (!git) return;
    const { pullOnStart } = await import("./pull-on-start.js");
    await pullOnStart({ ...options, git }, places);
  }
}
