/** Which version of the plugin OpenCode loads, and whether it has ever done so in the project. */
import { join } from "node:path";
import { PACKAGE } from "../../config/plugin-entries.js";
import { type PulseRecord, parsePulse } from "../../dispatcher/pulse.js";
import { planFolders } from "../../folders.js";
import type { Surroundings } from "../command.js";
import type { Configured, OnDisk } from "./configured.js";
import { type Finding, fine, note, warning } from "./finding.js";

export interface Versions {
  configured: Configured;
  onDisk: OnDisk;
  /** What the plugin that the proof has loaded says; absent where it was not loaded. */
  proved: string | undefined;
  /** Of this command line. */
  own: string;
}

/** A running plugin writes its pulse once a minute. */
const ALIVE_MS = 180_000;

/** What is loaded, what its folder says, and what this command line is, where they are not the same. */
export function checkVersions({ configured, onDisk, own, proved }: Versions): Finding[] {
  const version = proved ?? onDisk.version;
  const from = onDisk.folder ?? configured.place;
  if (version === undefined) return [];
  if (onDisk.version !== undefined && version !== onDisk.version)
    return [
      warning(
        `OpenCode runs ${PACKAGE} ${version}, but the package.json in ${from} is of ${onDisk.version}`,
        `npm run build, in ${from}`,
      ),
    ];
  if (version === own) return [fine(`OpenCode loads ${PACKAGE} ${version} from ${from}`)];
  const todo = onDisk.cached
    ? `to have OpenCode install it anew, delete ${onDisk.cached} and start it; it does not look for newer versions`
    : "call the strata that belongs to it, or name this version in the configuration";
  return [
    warning(`OpenCode loads ${PACKAGE} ${version} from ${from}, and this command line is ${own}`, todo),
  ];
}

/** When OpenCode has loaded it last, and whether that was the version that is configured now. */
export async function checkLoaded(
  { clock, files }: Pick<Surroundings, "clock" | "files">,
  project: string,
  version: string | undefined,
): Promise<Finding> {
  const { log, pulse } = planFolders(project);
  const last = await readLastPulse(files, pulse);
  if (!last) {
    const stat = await files.stat(log).catch(() => undefined);
    const since = stat ? `since ${formatTime(stat.modifiedMs)}` : "yet";
    return note(
      `OpenCode has not loaded ${PACKAGE} in ${project} ${since}`,
      "start OpenCode there, anew where it is running: it reads its configuration only then",
    );
  }
  const seen = `OpenCode last loaded ${PACKAGE} ${last.version} in ${project} at ${formatTime(last.startedMs)}`;
  if (version === undefined || last.version === version) return fine(seen);
  const what = `${seen}, and never ${version} since, which is configured now`;
  const isRunning = !last.hasEnded && clock.now() - last.writtenMs < ALIVE_MS;
  return (isRunning ? warning : note)(what, "start OpenCode anew: one that runs keeps what it has loaded");
}

/** That of the instance which began last. */
async function readLastPulse(files: Surroundings["files"], folder: string): Promise<PulseRecord | undefined> {
  const pulses: PulseRecord[] = [];
  for (const name of await files.list(folder).catch(() => [])) {
    const contents = await files.read(join(folder, name)).catch(() => undefined);
    const pulse = contents && parseText(new TextDecoder().decode(contents));
    if (pulse) pulses.push(pulse);
  }
  return pulses.sort((a, b) => b.startedMs - a.startedMs)[0];
}

function parseText(text: string): PulseRecord | undefined {
  try {
    return parsePulse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** `2026-11-21 09:15 UTC` */
function formatTime(timeMs: number): string {
  const time = new Date(timeMs);
  if (Number.isNaN(time.getTime())) return "a time that is none";
  return `${time.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
