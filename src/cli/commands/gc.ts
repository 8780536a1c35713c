/** `strata gc`: removes files that are no longer needed; without `--execute` it only lists them. */
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { DAY_MS } from "../../days.js";
import { formatError } from "../../error.js";
import { type ExpiredFile, findExpired, removeIfUnchanged } from "../../expired-files.js";
import { formatCount } from "../../format.js";
import { kernelFiles, stateFolderFiles } from "../../kernel-files.js";
import { formatDays } from "../../memory/search/found.js";
import { readWhole } from "../arguments.js";
import { type CliContext, exitCodes, type Run } from "../command.js";
import { formatRetained, readRetention } from "../gc/retention.js";
import { createCliLog } from "../log.js";
import { idOf, type ReadShelf, readLedger, readShelves } from "../memory-files.js";
import { openProject } from "../open-project.js";
import { createProgress } from "../progress.js";
import type { Project } from "../project.js";
import { formatPath } from "../validate/issue.js";

const USUAL_DAYS = 30;
const MOST_DAYS = 36_500;

export const run: Run = async (cli, { archived, days: given, execute, json }) => {
  const days = readWhole("--days", given, { usual: USUAL_DAYS, least: 1, most: MOST_DAYS });
  const project = await openProject(cli);
  const { folders, processes, root, stateFolder } = project;
  const kinds = [...kernelFiles, ...(await cli.loadLayers()).flatMap((layer) => layer.files)];
  const { clock, files } = cli;
  const world = { clock, files, folders, processes };
  const garbage: Garbage[] = [
    ...(await findExpired(world, kinds, days)),
    ...(await findExpired({ ...world, root: stateFolder }, stateFolderFiles, days)),
  ];
  // Before the removal, which does not change what is kept.
  const retained = await readRetention(project);
  if (archived) garbage.push(...(await findOldArchive(project, days)));
  const failed = execute ? await removeAll(project, garbage) : [];
  if (json) {
    const bytes = sumBytes(garbage);
    const report = { project: root, isDone: execute === true, bytes, garbage, failed, retained };
    cli.say(JSON.stringify(report, null, 2));
  } else {
    list(cli, garbage, root);
    const shown = retained.filter(({ count }) => count > 0);
    for (const one of shown) cli.say(cli.style.dim(`Kept  ${formatRetained(one)}`));
    cli.say(formatSum(garbage, { failed: failed.length, isDone: execute === true }));
  }
  for (const one of failed) cli.warn(`${cli.style.red("Failed")}  ${one}`);
  return failed.length > 0 ? exitCodes.problems : exitCodes.fine;
};

function list({ clock, say, style }: CliContext, garbage: readonly Garbage[], root: string): void {
  for (const { modifiedMs, path, what } of garbage) {
    const age = formatDays(new Date(modifiedMs).toISOString(), clock.now());
    say(`${formatPath(path, root)}  ${style.dim(`${what}, ${age}`)}`);
  }
}

function formatSum(
  garbage: readonly Garbage[],
  { failed, isDone }: { failed: number; isDone: boolean },
): string {
  if (garbage.length === 0) return "Nothing to remove.";
  const files = `${formatCount(garbage.length)} ${garbage.length === 1 ? "file" : "files"}`;
  const sum = `${files}, ${formatCount(sumBytes(garbage))} bytes`;
  if (!isDone) return `${sum}. Nothing was changed; --execute removes them.`;
  return `Removed: ${sum}${failed > 0 ? `, except ${failed}` : ""}`;
}

const sumBytes = (garbage: readonly Garbage[]): number => garbage.reduce((sum, one) => sum + one.bytes, 0);

/** Only the project's own: memories that hold everywhere are not this project's to clean up. */
async function findOldArchive(project: Project, days: number): Promise<Garbage[]> {
  const shelves = (await readShelves(project)).filter(({ place }) => place.scope === "project");
  const archivedAt = await readArchiveTimes(project.cli, shelves);
  return findArchived(shelves, { archivedAt, days, nowMs: project.cli.clock.now() });
}

/** When each memory was last changed or moved, from the ledger. */
async function readArchiveTimes(
  { files }: CliContext,
  shelves: readonly ReadShelf[],
): Promise<Map<string, string>> {
  const log = createCliLog(() => {});
  const times = new Map<string, string>();
  for (const { place } of shelves) {
    for (const { at, key } of await readLedger({ files, log }, place))
      if (at > (times.get(key) ?? "")) times.set(key, at);
  }
  return times;
}

/** Removes them; returns a sentence for each that could not be. */
async function removeAll(project: Project, garbage: readonly Garbage[]): Promise<string[]> {
  const { files } = project.cli;
  const progress = createProgress(project.cli, "Removing");
  const failed: string[] = [];
  const archived = garbage.filter(({ id }) => id !== undefined);
  for (const [n, file] of garbage.entries()) {
    progress.step(n, garbage.length);
    if (file.id !== undefined) continue;
    try {
      await removeIfUnchanged(files, file);
    } catch (thrown) {
      failed.push(`${file.path}: ${formatError(thrown)}`);
    }
  }
  if (archived.length > 0) failed.push(...(await discardAll(project, archived)));
  progress.end();
  return failed;
}

/** The same for archived memories, which are removed through the store, so that the ledger records it. */
async function discardAll(project: Project, archived: readonly Garbage[]): Promise<string[]> {
  const { withMemories } = await import("../open-memories.js");
  return withMemories(project, async (memories) => {
    const failed: string[] = [];
    const cause = { operation: "gc", run: randomUUID().slice(0, 8) };
    for (const { id = "", path } of archived) {
      const written = await memories.discard(id, cause).catch(formatError);
      if (typeof written === "string") failed.push(`${path}: ${written}`);
      else if (written.kind === "refused") failed.push(`${path}: ${written.why}`);
    }
    return failed;
  });
}

interface Garbage extends ExpiredFile {
  /** Of a memory in the archive: that one is removed through the ledger. */
  id?: string;
}

/** Memories that have lain in the archive for so long; those of a person's own pinning stay. Pure. */
function findArchived(
  shelves: readonly ReadShelf[],
  { archivedAt, days, nowMs }: { archivedAt: ReadonlyMap<string, string>; days: number; nowMs: number },
): Garbage[] {
  return shelves.flatMap(({ looked, place }) =>
    looked.flatMap(({ bytes, path, reading }) => {
      if (reading.kind !== "memory" || reading.memory.status !== "archived" || reading.memory.pinned)
        return [];
      const id = idOf(place, path);
      const at = Date.parse(archivedAt.get(id) ?? "");
      // Without a line of the ledger nobody knows when it was put aside: then it is not old.
      if (!(nowMs - at > days * DAY_MS)) return [];
      const what = "a memory in the archive; the ledger keeps its words";
      return [{ path: join(place.folder, path), what, bytes, modifiedMs: at, id }];
    }),
  );
}
