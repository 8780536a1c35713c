/** Reports what a sync has done. */
import { countMemories, formatAge, formatCounted } from "../../base/format.js";
import type { CliContext } from "../../operations/command.js";
import type { SyncPlace } from "../../sync/places.js";
import type { Synced } from "../../sync/sync.js";
import type { SyncConfig, SyncState } from "../../sync/sync-state.js";
import { withoutCredentials } from "../../text/secrets/credentials.js";
import { toLine } from "../../text/text.js";

const SHOWN = 20;

export const nameScope = (scope: SyncPlace["scope"]): string =>
  scope === "global" ? "Global memories" : "Memories of this project";

export function reportSynced(
  cli: CliContext,
  { conflicts, deferred, earlier, foreign, ids, refused, sent }: Synced,
  { isPush, scope }: { isPush: boolean; scope: SyncPlace["scope"] },
): void {
  const { say, style, warn } = cli;
  const changed = `${countMemories(ids.length)} changed here`;
  say(`${nameScope(scope)}: ${changed}${isPush ? `, ${formatCounted(sent, "change")} sent` : ""}.`);
  listSome(cli, "Changed", ids);
  if (earlier > 0)
    say(`${formatCounted(earlier, "earlier version stays", "earlier versions stay")} on this machine.`);
  if (foreign > 0)
    say(`${countMemories(foreign)} came with the repository and stayed here; strata trust lists them.`);
  for (const path of conflicts)
    warn(`${style.yellow("Conflict")}  both versions are in ${path}; settle it with strata reconcile`);
  listSome(
    cli,
    "Not sent",
    refused.map(({ id, why }) => `${id}: ${why}`),
  );
  listSome(
    cli,
    "Left out",
    deferred.map(({ id, why }) => `${id}: ${why}`),
  );
}

export const hasProblems = ({ conflicts, deferred, refused }: Synced): boolean =>
  conflicts.length + refused.length + deferred.length > 0;

function listSome({ style, warn }: CliContext, title: string, lines: readonly string[]): void {
  for (const line of lines.slice(0, SHOWN)) warn(`${style.yellow(title)}  ${toLine(line, 400)}`);
  if (lines.length > SHOWN) warn(`${style.yellow(title)}  and ${lines.length - SHOWN} more`);
}

export interface SyncStatus {
  config: SyncConfig;
  state: SyncState;
  /** Number of changes that a push would send. */
  pending: number;
  refused: SyncState["refused"];
}

export function formatStatus(
  scope: SyncPlace["scope"],
  { config, pending, refused, state }: SyncStatus,
  nowMs: number,
): string {
  const age = (ms: number | undefined): string => (ms === undefined ? "never" : formatAge(ms, nowMs));
  const whose = config.isOwn ? "all yours" : "others' until you accept them";
  return [
    `${nameScope(scope)}: ${withoutCredentials(config.url)}, branch ${config.branch} (${whose})`,
    `  pulled ${age(state.pulledMs)}, pushed ${age(state.pushedMs)}, ${formatCounted(pending, "change")} to push`,
    ...(state.failure === undefined ? [] : [`  the last attempt failed: ${toLine(state.failure, 300)}`]),
    ...refused.slice(0, SHOWN).map(({ id, why }) => `  not sent: ${id}: ${toLine(why, 300)}`),
    ...state.deferred.slice(0, SHOWN).map(({ id, why }) => `  left out: ${id}: ${toLine(why, 300)}`),
  ].join("\n");
}
