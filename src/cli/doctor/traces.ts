/** What the played session has left in its project, for the evidence. */
import { join } from "node:path";
import { readLedger } from "../../costs/figures.js";
import type { Clock } from "../../io/clock.js";
import type { Files } from "../../io/files.js";
import { planFolders } from "../../project/folders.js";
import { readPulses } from "../../status/status.js";
import type { Evidence } from "./evidence.js";
import { mergePulses } from "./runs.js";
import type { Played } from "./session.js";

interface Reading {
  clock: Clock;
  files: Files;
}

const LAST_PULSE_MS = 20_000;
/** A plugin that was loaded has written one long before the end. */
const FIRST_PULSE_MS = 3_000;
/** For what a command leaves after it has answered. */
const LAST_FILE_MS = 30_000;
const LOOK_EVERY_MS = 50;
/** Everything that Strata has in the project. */
const OWN = ".opencode";

/** After a session in one process, which has let the plugin go. */
export async function readTraces(
  { clock, files }: Reading,
  project: string,
  { isCommandFree }: Played,
): Promise<Omit<Evidence, "requests">> {
  await waitForPulse({ clock, files }, planFolders(project).pulse);
  return { ...(await readAllTraces(files, project)), isCommandFree };
}

/** Every file below a folder, relative to the project. */
async function listPaths(files: Files, project: string, folder: string): Promise<string[]> {
  const names = (await files.list(join(project, folder))).filter((name) => name !== "node_modules");
  const below = await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      const isFile = (await files.stat(join(project, path)))?.kind === "file";
      return isFile ? [path] : listPaths(files, project, path);
    }),
  );
  return below.flat();
}

export async function waitForFiles(
  { clock, files }: Reading,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  for (let waitedMs = 0; waitedMs < LAST_FILE_MS && !signal.aborted; waitedMs += LOOK_EVERY_MS) {
    const stats = await Promise.all(paths.map((path) => files.stat(path)));
    if (stats.every((stat) => stat !== undefined)) return;
    await clock.pause(LOOK_EVERY_MS);
  }
}

/** The host has let the plugin go, which writes its last pulse a moment later. */
async function waitForPulse({ clock, files }: Reading, folder: string): Promise<void> {
  for (let waitedMs = 0; ; waitedMs += LOOK_EVERY_MS) {
    const [pulse] = await readPulses(files, folder);
    const mostMs = pulse ? LAST_PULSE_MS : FIRST_PULSE_MS;
    if (pulse?.hasEnded || waitedMs >= mostMs) return;
    await clock.pause(LOOK_EVERY_MS);
  }
}

/** After processes that have all ended, for any number of sessions. */
export async function readAllTraces(files: Files, project: string): Promise<Omit<Evidence, "requests">> {
  const { pulse, savings } = planFolders(project);
  const { sessions } = await readLedger(files, savings);
  return {
    pulse: mergePulses(await readPulses(files, pulse)),
    records: [...sessions.values()].flat(),
    paths: await listPaths(files, project, OWN),
  };
}
