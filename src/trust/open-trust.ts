import type { Folders } from "../folders.js";
import type { Log } from "../record/log.js";
import type { Clock } from "../seams/clock.js";
import type { Files } from "../seams/files.js";
import type { Host } from "../seams/host.js";
import type { Toasts } from "../toasts.js";
import type { AcceptedPlaces } from "./accepted.js";
import { createTrustTeller } from "./teller.js";
import { createTrust, type Trust } from "./trust.js";
import { isKeptHere } from "./upgrade.js";

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

/** Trust with a running host, which can report findings and knows which sessions ran here. */
export function openTrust(options: OpenTrustOptions): Trust {
  const { files, folders, host } = options;
  const { git, globalFolder, processes, stateFolder } = host;
  return createTrust({
    ...options,
    ...{ git, globalFolder, processes, stateFolder },
    project: folders.project,
    isKeptHere: () => isKeptHere({ files, folders, git, host }),
    teller: createTrustTeller(options),
  });
}
