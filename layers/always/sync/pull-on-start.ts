/** Pulls in the background after a start if the last pull is too old. Being offline is normal. */
import { HOUR_MS } from "../../../src/base/days.js";
import { formatError, StrataError } from "../../../src/base/error.js";
import type { RemoteGit } from "../../../src/io/host.js";
import type { KernelContext } from "../../../src/kernel/layer-context.js";
import { UNREACHABLE } from "../../../src/sync/bare-repository.js";
import { createSync, type Synced } from "../../../src/sync/sync.js";
import type { SyncPlace } from "../../../src/sync/sync-state.js";
import { openSyncFiles, type SyncConfig } from "../../../src/sync/sync-state.js";

export type PullOnStartOptions = Pick<
  KernelContext,
  "clock" | "exchange" | "files" | "instance" | "locks" | "log" | "toasts"
> & { git: RemoteGit };

/** From this age on the last pull is too old for a start. */
const MOST_AGE_HOURS = 24;
/** Short: nobody waits for it, and it should not keep a machine from going to sleep. */
const NETWORK_MS = 60_000;

/** Never rejects. */
export async function pullOnStart(options: PullOnStartOptions, places: readonly SyncPlace[]): Promise<void> {
  for (const place of places) await pullOne(options, place).catch((thrown) => report(options, thrown));
}

async function pullOne(options: PullOnStartOptions, place: SyncPlace): Promise<void> {
  const { clock, files, log, toasts } = options;
  const stored = openSyncFiles(files, place);
  const config = await stored.readConfig();
  const { pulledMs } = await stored.readState();
  const isFresh = pulledMs !== undefined && Math.abs(clock.now() - pulledMs) < MOST_AGE_HOURS * HOUR_MS;
  if (!config || isFresh) return;
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

function report({ log }: PullOnStartOptions, thrown: unknown): void {
  const isOffline = thrown instanceof StrataError && thrown.code === UNREACHABLE;
  const what = `memories were not pulled: ${formatError(thrown)}`;
  if (isOffline) log.info("sync", what);
  else log.warn("sync", what);
}
