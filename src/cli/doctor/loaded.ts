/** Which version of the plugin OpenCode loads, and when it last did so in the project. */
import { PACKAGE } from "../../config/plugin-entries.js";
import type { CliContext } from "../../operations/command.js";
import { type Finding, fine, note, warning } from "../../operations/doctor/finding.js";
import type { Folders } from "../../project/folders.js";
import { readPulses } from "../../status/status.js";
import type { Configured, OnDisk } from "./configured.js";

export interface Versions {
  configured: Configured;
  onDisk: OnDisk;
  /** Reported by the plugin that the proof loaded; absent if it loaded none. */
  proved: string | undefined;
  /** This command line's. */
  own: string;
}

/** A running plugin writes its pulse once a minute. */
const ALIVE_MS = 180_000;

/** Compares the version that is loaded, that of its package.json, and this command line's. */
export function checkVersions({ configured, onDisk, own, proved }: Versions): Finding[] {
  const version = proved ?? onDisk.version;
  const from = onDisk.folder ?? configured.place;
  if (version === undefined) return [];
  if (onDisk.version !== undefined && version !== onDisk.version)
    return [
      warning(
        `OpenCode runs ${PACKAGE} ${version}, but the package.json in ${from} says ${onDisk.version}`,
        `run npm run build in ${from}`,
      ),
    ];
  if (version === own) return [fine(`OpenCode loads ${PACKAGE} ${version} from ${from}`)];
  const todo = onDisk.cached
    ? `to update it, delete ${onDisk.cached} and restart OpenCode, which does not look for new versions by itself`
    : "use the strata of that version, or name this version in the configuration";
  return [
    warning(`OpenCode loads ${PACKAGE} ${version} from ${from}, but this command line is ${own}`, todo),
  ];
}

/** When OpenCode last loaded it, and whether that was the version configured now. */
export async function checkLoaded(
  { clock, files }: Pick<CliContext, "clock" | "files">,
  { log, project, pulse }: Folders,
  version: string | undefined,
): Promise<Finding> {
  const last = (await readPulses(files, pulse).catch(() => [])).at(-1);
  if (!last) {
    const stat = await files.stat(log).catch(() => undefined);
    const since = stat ? `since ${formatTime(stat.modifiedMs)}` : "yet";
    return note(
      `OpenCode has not loaded ${PACKAGE} in ${project} ${since}`,
      "start OpenCode there, or restart it: it reads its configuration only at the start",
    );
  }
  const seen = `OpenCode last loaded ${PACKAGE} ${last.version} in ${project} at ${formatTime(last.startedMs)}`;
  if (version === undefined || last.version === version) return fine(seen);
  const what = `${seen}, but not yet ${version}, which is configured now`;
  const isRunning = !last.hasEnded && clock.now() - last.writtenMs < ALIVE_MS;
  return (isRunning ? warning : note)(what, "restart OpenCode: it keeps what it loaded at its start");
}

/** `2026-11-21 09:15 UTC` */
export function formatTime(timeMs: number): string {
  const time = new Date(timeMs);
  if (Number.isNaN(time.getTime())) return "an unknown time";
  return `${time.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
