/** `strata gc`: removes files that nobody needs any more; without `--execute` only says which. */
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { formatError } from "../../error.js";
import { planFolders } from "../../folders.js";
import { formatCount } from "../../format.js";
import { createRunningProcesses } from "../../host/running-processes.js";
import { kernelFiles } from "../../kernel-files.js";
import { formatPrefix } from "../../memory/id.js";
import { LEDGER } from "../../memory/path.js";
import { formatDays } from "../../memory/search/found.js";
import { createLedger } from "../../memory/store/ledger.js";
import type { Log } from "../../record/log.js";
import { readWhole } from "../arguments.js";
import { type ExitCode, exitCodes, type Run, type Surroundings } from "../command.js";
import { findArchived, findGarbage, type Garbage } from "../gc/find-garbage.js";
import { withMemories } from "../memories.js";
import { type ReadShelf, readShelves } from "../memory-files.js";
import { createProgress } from "../progress.js";
import { requireProject } from "../project.js";
import { formatPath } from "../validate/flaw.js";

const USUAL_DAYS = 30;
const MOST_DAYS = 36_500;

export const run: Run = async (surroundings, { archived, days: given, execute, json }) => {
  const { clock, say, style, warn } = surroundings;
  const days = readWhole("--days", given, { usual: USUAL_DAYS, least: 1, most: MOST_DAYS });
  const project = await requireProject(surroundings);
  const kinds = [...kernelFiles, ...(await surroundings.loadLayers()).flatMap((layer) => layer.files)];
  const options = { folders: planFolders(project), processes: createRunningProcesses(), days, kinds };
  const garbage = await findGarbage(surroundings, options);
  if (archived) garbage.push(...(await findOldArchive(surroundings, project, days)));
  const failed = execute ? await removeAll(surroundings, garbage) : [];
  const bytes = garbage.reduce((sum, one) => sum + one.bytes, 0);
  if (json) {
    say(JSON.stringify({ project, isDone: execute === true, bytes, garbage, failed }, null, 2));
  } else {
    for (const { modifiedMs, path, what } of garbage) {
      const age = formatDays(new Date(modifiedMs).toISOString(), clock.now());
      say(`${formatPath(path, project)}  ${style.dim(`${what}, ${age}`)}`);
    }
    const sum = `${formatCount(garbage.length)} ${garbage.length === 1 ? "file" : "files"}, ${formatCount(bytes)} bytes`;
    if (garbage.length === 0) say("Nothing to remove.");
    else if (execute) say(`Removed: ${sum}${failed.length > 0 ? `, but for ${failed.length}` : ""}`);
    else say(`${sum}. Nothing was changed; --execute removes them.`);
  }
  for (const one of failed) warn(`${style.red("Failed")}  ${one}`);
  return failed.length > 0 ? (exitCodes.problems satisfies ExitCode) : exitCodes.fine;
};

async function findOldArchive(surroundings: Surroundings, project: string, days: number): Promise<Garbage[]> {
  // What holds everywhere is not this project's to clean up.
  const shelves = (await readShelves(surroundings, project)).filter(({ place }) => place.scope === "project");
  const archivedAt = await readArchiveTimes(surroundings, shelves);
  return findArchived(shelves, { archivedAt, days, nowMs: surroundings.clock.now() });
}

/** When each memory was last changed or moved, by the ledger. */
async function readArchiveTimes(
  { files }: Surroundings,
  shelves: readonly ReadShelf[],
): Promise<Map<string, string>> {
  const silent = (): void => {};
  const log: Log = { error: silent, warn: silent, info: silent, debug: silent };
  const times = new Map<string, string>();
  for (const { place } of shelves) {
    const ledger = createLedger({
      files,
      log,
      folder: join(place.folder, LEDGER),
      nameClone: place.nameClone,
      prefix: formatPrefix(place),
    });
    for (const { at, key } of await ledger.readAll()) if (at > (times.get(key) ?? "")) times.set(key, at);
  }
  return times;
}

/** Sentences on those that could not be removed. */
async function removeAll(surroundings: Surroundings, garbage: readonly Garbage[]): Promise<string[]> {
  const { files } = surroundings;
  const progress = createProgress(surroundings, "Removing");
  const failed: string[] = [];
  const archived = garbage.filter(({ id }) => id !== undefined);
  for (const [n, { id, modifiedMs, path }] of garbage.entries()) {
    progress.step(n, garbage.length);
    if (id !== undefined) continue;
    try {
      // Somebody may have used it since.
      if ((await files.statItself(path))?.modifiedMs === modifiedMs) await files.remove(path);
    } catch (thrown) {
      failed.push(`${path}: ${formatError(thrown)}`);
    }
  }
  if (archived.length > 0)
    await withMemories(surroundings, async (memories) => {
      const cause = { operation: "gc", run: randomUUID().slice(0, 8) };
      for (const { id = "", path } of archived) {
        const written = await memories.discard(id, cause).catch(formatError);
        if (typeof written === "string") failed.push(`${path}: ${written}`);
        else if (written.kind === "refused") failed.push(`${path}: ${written.why}`);
      }
    });
  progress.end();
  return failed;
}
