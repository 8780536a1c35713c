/**
 * Pulls memories from the user's remotes once, in the background after the host's first event, if the last pull is too
 * old. Being offline is normal. Without a remote, this only checks for two files and loads nothing.
 */
import { join } from "node:path";
import { HOUR_MS } from "../../src/base/days.js";
import { formatError, StrataError } from "../../src/base/error.js";
import type { RemoteGit } from "../../src/io/host.js";
import type { Layer } from "../../src/kernel/layer.js";
import type { KernelContext } from "../../src/kernel/layer-context.js";
import type { Synced } from "../../src/sync/sync.js";
import {
  locateSync,
  openSyncFiles,
  SYNC_CONFIG,
  type SyncConfig,
  type SyncPlace,
} from "../../src/sync/sync-state.js";

/** From this age on the last pull is too old for a start. */
const MOST_AGE_HOURS = 24;
/** Short: nobody waits for it, and it should not keep a machine from going to sleep. */
const NETWORK_MS = 60_000;

export function createSyncPull(context: KernelContext): Layer {
  const { background, config, host } = context;
  let hasBegun = false;
  return {
    name: "sync",
    phase: "before",
    handlers: {
      event() {
        if (hasBegun || !config.sync.pullOnStart || !host.openRemoteGit) return undefined;
        hasBegun = true;
        void background.add(() => pullAll(context));
        return undefined;
      },
    },
  };
}

/** Never rejects. */
async function pullAll(context: KernelContext): Promise<void> {
  const { files, folders, host, log } = context;
  const given = { project: folders.memoryProject, stateFolder: host.stateFolder };
  let git: RemoteGit | undefined;
  for (const scope of ["project", "global"] as const)
    try {
      const place = await locateSync(files, scope, given);
      if (!(await files.stat(join(place.folder, SYNC_CONFIG)))) continue;
      git ??= await host.openRemoteGit?.();
      if (git) await pull({ ...context, git }, place);
    } catch (thrown) {
      const { UNREACHABLE } = await import("../../src/sync/bare-repository.js");
      const isOffline = thrown instanceof StrataError && thrown.code === UNREACHABLE;
      log[isOffline ? "info" : "warn"]("sync", `memories were not pulled: ${formatError(thrown)}`);
    }
}

async function pull(options: KernelContext & { git: RemoteGit }, place: SyncPlace): Promise<void> {
  const { clock, files, log, toasts } = options;
  const stored = openSyncFiles(files, place);
  const config = await stored.readConfig();
  const { pulledMs } = await stored.readState();
  const isFresh = pulledMs !== undefined && Math.abs(clock.now() - pulledMs) < MOST_AGE_HOURS * HOUR_MS;
  if (!config || isFresh) return;
  const { createSync } = await import("../../src/sync/sync.js");
  const sync = createSync({ ...options, place, machinePaths: [], networkMs: NETWORK_MS });
  const synced = await sync.pull();
  const what = formatPulled(synced, config);
  log.info("sync", what ?? `nothing new on ${config.branch}`);
  if (what !== undefined) toasts.show(what, synced.conflicts.length > 0 ? "warning" : "info");
}

/** Text of the toast; `undefined` if nothing changed here. */
function formatPulled({ conflicts, ids }: Synced, { isOwn }: SyncConfig): string | undefined {
  if (ids.length === 0) return undefined;
  const [first = ""] = ids;
  const what = ids.length === 1 ? first : `${first} and ${ids.length - 1} more memories`;
  const from = isOwn ? "from another machine of yours" : "from others; /memory-trust accepts them";
  const open = conflicts.length > 0 ? `; ${conflicts.length} in conflict, settle with strata reconcile` : "";
  return `${what} came ${from}${open}`;
}
