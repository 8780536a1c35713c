/** Adds, renews and drops memories of what a project's files state. */
import { randomUUID } from "node:crypto";
import { join, relative, resolve } from "node:path";
import * as z from "zod";
import { StrataError } from "../base/error.js";
import { countMemories } from "../base/format.js";
import { readConfigFiles } from "../config/plugin-entries.js";
import { createDryFiles } from "../io/dry-files.js";
import type { Memory } from "../memory/memory.js";
import { listPaths } from "../memory/store/scan.js";
import type { OpenMemories } from "../memory/store/store.js";
import { findSource, findSources, type ReadFacts, readFacts } from "../sources/bootstrap/find-sources.js";
import { type BootstrapPlan, planBootstrap } from "../sources/bootstrap/plan-bootstrap.js";
import { openInstructions } from "../sources/bootstrap/rules.js";
import { GIT_HISTORY, readTaken } from "../sources/bootstrap/taken.js";
import { type Style, WRONG_ARGUMENT } from "./command.js";
import { findHost } from "./doctor/opencode.js";
import { withMemories } from "./open-memories.js";
import { type Answer, defineTerminalOperation, flag, names } from "./operation.js";
import { openProject, type Project } from "./project.js";

const input = z.object({
  folders: names.default([]),
  recursive: flag.default(false).describe("includes all folders below"),
  dryRun: flag.default(false).describe("shows what would be added, renewed and dropped"),
});

export const bootstrap = defineTerminalOperation(input, async (given, wanted) => {
  const { dryRun: isDry, recursive } = wanted;
  const { cli } = given;
  // A dry run also discards what opening the store writes.
  const files = isDry ? createDryFiles(cli.files, cli.clock) : cli.files;
  const project = isDry ? await openProject({ ...cli, files }) : given;
  const folders = await readFolders(project, wanted.folders);
  return withMemories(project, async (memories) => {
    const existing = await memories.list({ archived: true });
    const found = await readAll(project, { existing, folders, isRecursive: recursive });
    const plan = planBootstrap({
      ...{ ...found, existing, nowMs: cli.clock.now() },
      undone: await findUndone(memories, existing),
      paths: await listPaths(files, project.folders.memory),
    });
    const done = isDry ? undefined : await writeFacts(memories, plan);
    return describe(plan, { done, notes: found.notes, style: cli.style });
  });
});

/** The folders on the command line, relative to the root. Throws for one outside the project. */
async function readFolders({ cli, root }: Project, given: readonly string[]): Promise<string[]> {
  const folders: string[] = [];
  for (const one of given) {
    const path = relative(root, resolve(cli.folder, one)).replaceAll("\\", "/");
    const outside = `${one} is outside the project ${root}; run strata bootstrap in that project, or add the folder with: strata import markdown --recursive`;
    if (path === ".." || path.startsWith("../") || /^([A-Za-z]:|\/)/.test(path))
      throw new StrataError(WRONG_ARGUMENT, outside);
    const none = `${one} is not a folder of the project ${root}; name folders, or none for the whole project`;
    if ((await cli.files.stat(join(root, path)))?.kind !== "folder") throw new StrataError("NO_SOURCE", none);
    folders.push(path);
  }
  return given.length === 0 ? [""] : folders;
}

/** What the folders' files state, and every file that a memory was taken from. */
async function readAll(
  { cli, root, settings }: Project,
  given: { existing: readonly Memory[]; folders: readonly string[]; isRecursive: boolean },
): Promise<ReadFacts> {
  const found = await findSources(cli.files, { root, ...given });
  const paths = new Set(found.paths);
  const stateless = new Set<string>();
  for (const file of given.existing.flatMap((memory) => readTaken(memory)?.file ?? [])) {
    if (file === GIT_HISTORY || paths.has(file)) continue;
    if ((await findSource(cli.files, root, file)) === "source") paths.add(file);
    else stateless.add(file);
  }
  const { configFiles } = await settings();
  const configs = (await readConfigFiles(cli.files, configFiles)).parsed.map(({ contents }) => contents);
  const { isSecond } = await findHost(cli, configFiles);
  const where = { project: root, directory: cli.folder, home: cli.home };
  const isSent = await openInstructions({ ...where, files: cli.files, isSecond, env: cli.env, configs });
  for (const path of paths) if (await isSent(join(root, path))) stateless.add(path);
  const used = [...paths].filter((path) => !stateless.has(path));
  const { facts, notes, read } = await readFacts(cli.files, root, used);
  if (found.isCut) notes.push("there are too many folders to search; name some of them");
  // Files that are gone, or that OpenCode sends, state nothing.
  return { facts, notes, read: new Set([...read, ...stateless]) };
}

/** Ids of archived memories that were taken from a file and whose addition was undone. */
async function findUndone(
  memories: Pick<OpenMemories, "history">,
  existing: readonly Memory[],
): Promise<Set<string>> {
  const undone = new Set<string>();
  for (const memory of existing) {
    const taken = memory.status === "archived" ? readTaken(memory) : undefined;
    if (!taken || taken.gone) continue;
    if ((await memories.history(memory.id)).at(-1)?.undoes !== undefined) undone.add(memory.id);
  }
  return undone;
}

type Done = Awaited<ReturnType<typeof writeFacts>>;

/** Makes the changes of a plan as one run, so that one undo reverts them. */
async function writeFacts(memories: OpenMemories, { add, change }: BootstrapPlan) {
  const run = randomUUID().slice(0, 8);
  const cause = { operation: "bootstrap", run, isForeign: true as const };
  const done = { run, added: 0, refused: [] as { name: string; why: string }[] };
  // One by one, so that a refused memory does not prevent the renewal of others.
  for (const { file, ...planned } of change) {
    const written = await memories.changeAll([planned], cause);
    const name = `${planned.before.id} (${file})`;
    if (written.kind !== "written") done.refused.push({ name, why: written.why });
  }
  const written = await memories.adoptAll(add, cause);
  for (const [n, one] of written.entries()) {
    if (one.kind !== "refused") done.added++;
    else done.refused.push({ name: `${add[n]?.title} (${add[n]?.file})`, why: one.why });
  }
  return done;
}

/** `done`: absent after a dry run. */
function describe(
  plan: BootstrapPlan,
  { done, notes, style }: { done: Done | undefined; notes: readonly string[]; style: Style },
): Answer {
  const { add, change, kept, left } = plan;
  const dropped = change.filter(({ after }) => after.status === "archived");
  const renewed = change.filter(({ after }) => after.status !== "archived");
  const refused = [...plan.refused, ...(done?.refused ?? [])];
  const name = ({ before, file }: (typeof change)[number]) => ({ id: before.id, file });
  const added = done?.added ?? add.length;
  const others = {
    ...{ renewed: renewed.length, dropped: dropped.length, unchanged: kept },
    ...{ "left as they are": left.length, refused: refused.length },
  };
  const counts = [
    `${done ? "Added" : "Would add"}: ${countMemories(added)}`,
    ...Object.entries(others).flatMap(([what, count]) => (count > 0 ? [`${count} ${what}`] : [])),
  ];
  const dryLines = [
    ...add.map(({ file, id, title }) => `Would add    ${id}  ${title}  (${file})`),
    ...renewed.map(({ before, file }) => `Would renew  ${before.id}  (${file})`),
    ...dropped.map(({ before, file }) => `Would drop   ${before.id}  (${file})`),
  ];
  const explain = (what: string, lines: readonly { name: string; why: string }[]): string[] =>
    lines.map((one) => `${style.yellow(what)}  ${one.name}: ${one.why}`);
  const whose = `They count as the repository's words, not as yours; strata trust accepts them, strata undo --run ${done?.run} takes them back.`;
  const head = done ? [] : dryLines;
  return {
    text: [...head, counts.join(", "), ...(done && done.added > 0 ? [whose] : [])].join("\n"),
    data: {
      ...(done && { run: done.run }),
      ...{ add: add.map(({ file, id, title }) => ({ id, title, file })), renew: renewed.map(name) },
      ...{ drop: dropped.map(name), unchanged: kept, left, refused, skipped: notes },
    },
    notes: [
      ...explain("Refused", refused),
      ...explain("Left as it is", left),
      ...notes.map((note) => `${style.yellow("Skipped")}  ${note}`),
    ],
    isProblem: refused.length > 0 || notes.length > 0,
  };
}
