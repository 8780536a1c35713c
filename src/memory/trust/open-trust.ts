import { countMemories } from "../../base/format.js";
import type { Clock } from "../../io/clock.js";
import type { Files } from "../../io/files.js";
import type { Host } from "../../io/host.js";
import type { Log } from "../../io/log.js";
import type { Toasts } from "../../io/toasts.js";
import type { Folders } from "../../project/folders.js";
import type { AcceptedPlaces } from "./accepted.js";
import type { ForeignCause } from "./record.js";
import { createTrust, type Trust } from "./trust.js";

export interface OpenTrustOptions {
  accepted: AcceptedPlaces;
  clock: Clock;
  files: Files;
  folders: Folders;
  host: Host;
  instance: string;
  log: Log;
  toasts: Toasts;
}

/** Folders are checked one after the other; findings within this time are reported together. */
const TOGETHER_MS = 500;

/** Trust with a running host, which tells the user in one line about memories that are not theirs. */
export function openTrust(options: OpenTrustOptions): Trust {
  const { clock, folders, host, log, toasts } = options;
  const { git, globalFolder, processes, stateFolder } = host;
  const counts = new Map<ForeignCause, number>();
  return createTrust({
    ...options,
    ...{ git, globalFolder, processes, stateFolder },
    project: folders.project,
    onForeign(cause, count) {
      if (counts.size === 0) clock.after(TOGETHER_MS, tell);
      counts.set(cause, (counts.get(cause) ?? 0) + count);
    },
  });

  function tell(): void {
    for (const [cause, count] of counts) {
      const what = formatForeign(cause, count);
      // As information: the log reports the same warning only once a day.
      log.info("trust", what);
      toasts.show(what, "warning");
    }
    counts.clear();
  }
}

function formatForeign(cause: ForeignCause, count: number): string {
  const come =
    cause === "repository"
      ? `${countMemories(count)} came with this repository`
      : `${countMemories(count)} changed on disk while the agent worked`;
  return `${come} and ${count === 1 ? "is" : "are"} not shown as your words; /memory-trust shows and accepts them`;
}
