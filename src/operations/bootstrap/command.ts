/** `strata bootstrap`: adds, renews and drops memories of what a project's files state. */
import { randomUUID } from "node:crypto";
import { join, relative, resolve } from "node:path";
import { StrataError } from "../../base/error.js";
import { createDryFiles } from "../../io/dry-files.js";
import type { Memory } from "../../memory/memory.js";
import { listPaths } from "../../memory/store/entry-paths.js";
import type { OpenMemories } from "../../memory/store/store.js";
import { type BootstrapPlan, planBootstrap } from "../../sources/bootstrap/plan-bootstrap.js";
import { readTaken } from "../../sources/bootstrap/taken.js";
import {
  type CliContext,
  type ExitCode,
  exitCodes,
  type Run,
  readWhole,
  WRONG_ARGUMENT,
} from "../command.js";
import { withMemories } from "../open-memories.js";
import { createProgress } from "../progress.js";
import { openProject, type Project } from "../project.js";
import { gather } from "./gather.js";

const USUAL_DECISIONS = 50;
const MOST_DECISIONS = 500;

export const run: Run = async (cli, { dryRun, git, json, limit, recursive }, given) => {
  const isDry = dryRun === true;
  const most = readWhole("--limit", limit, { least: 1, most: MOST_DECISIONS, usual: USUAL_DECISIONS });
  // A dry run also discards what opening the store writes.
  const files = isDry ? createDryFiles(cli.files, cli.clock) : cli.files;
  const project = await openProject({ ...cli, files });
  const folders = readFolders(given, { folder: cli.folder, root: project.root });
  for (const [n, path] of folders.entries())
    if ((await files.stat(join(project.root, path)))?.kind !== "folder")
      throw new StrataError(
        "NO_SOURCE",
        `${given[n] ?? path} is not a folder of the project ${project.root}; name folders, or none for the whole project`,
      );
  const report = createBootstrapReport(cli, { asJSON: json === true, isDry });
  return withMemories(project, async (memories) => {
    const existing = await memories.list({ archived: true });
    const { notes, ...gathered } = await gather(project, {
      existing,
      folders,
      isRecursive: recursive === true,
      ...(git === true && { mostDecisions: most }),
    });
    const plan: BootstrapPlan = planBootstrap({
      ...gathered,
      existing,
      undone: await findUndone(memories, existing),
      paths: await listPaths(files, project.folders.memory),
      nowMs: cli.clock.now(),
    });
    const done = isDry ? undefined : await writeBootstrap(project, memories, plan);
    return report(plan, notes, done);
  });
};

/** The folders on the command line, relative to the root. Throws for one outside the project. */
function readFolders(given: readonly string[], { folder, root }: { folder: string; root: string }): string[] {
  if (given.length === 0) return [""];
  return given.map((one) => {
    const path = relative(root, resolve(folder, one)).replaceAll("\\", "/");
    if (path !== ".." && !path.startsWith("../") && !/^([A-Za-z]:|\/)/.test(path)) return path;
    throw new StrataError(
      WRONG_ARGUMENT,
      `${one} is outside the project ${root}; run strata bootstrap in that project, or add the folder with: strata ingest --recursive`,
    );
  });
}

/** Prints the result, or without `done` the plan, and returns the exit code. */
export type BootstrapReport = (
  plan: BootstrapPlan,
  notes: readonly string[],
  done: BootstrapDone | undefined,
) => ExitCode;

export function createBootstrapReport(
  { say, style, warn }: CliContext,
  { asJSON, isDry }: { asJSON: boolean; isDry: boolean },
): BootstrapReport {
  return (plan, notes, done) => {
    const refused = [...plan.refused, ...(done?.refused ?? [])];
    if (asJSON) say(JSON.stringify(toJSON(plan, notes, done), null, 2));
    else {
      if (isDry) for (const line of formatPlan(plan)) say(`Would ${line}`);
      say(formatCounts(plan, { added: done?.added ?? plan.add.length, refused: refused.length, isDry }));
      for (const { name, why } of refused) warn(`${style.yellow("Refused")}  ${name}: ${why}`);
      for (const { name, why } of plan.left) warn(`${style.yellow("Left as it is")}  ${name}: ${why}`);
      for (const note of notes) warn(`${style.yellow("Skipped")}  ${note}`);
      if (!isDry && (done?.added ?? 0) > 0)
        say(
          `They count as the repository's words, not as yours; strata trust accepts them, strata undo --run ${done?.run} takes them back.`,
        );
    }
    return refused.length > 0 || notes.length > 0 ? exitCodes.problems : exitCodes.fine;
  };
}

function formatPlan({ add, change }: BootstrapPlan): string[] {
  return [
    ...add.map(({ file, id, title }) => `add    ${id}  ${title}  (${file})`),
    ...change.map(({ after, before, file }) =>
      after.status === "archived" ? `drop   ${before.id}  (${file})` : `renew  ${before.id}  (${file})`,
    ),
  ];
}

/** "Added: 7 memories, 2 renewed, 1 dropped, 12 unchanged". */
function formatCounts(
  { change, kept, left }: BootstrapPlan,
  { added, isDry, refused }: { added: number; refused: number; isDry: boolean },
): string {
  const dropped = change.filter(({ after }) => after.status === "archived").length;
  const counts: [number, string][] = [
    [change.length - dropped, "renewed"],
    [dropped, "dropped"],
    [kept, "unchanged"],
    [left.length, "left as they are"],
    [refused, "refused"],
  ];
  const head = `${isDry ? "Would add" : "Added"}: ${added} ${added === 1 ? "memory" : "memories"}`;
  return [head, ...counts.flatMap(([count, what]) => (count > 0 ? [`${count} ${what}`] : []))].join(", ");
}

const toJSON = (plan: BootstrapPlan, notes: readonly string[], done: BootstrapDone | undefined): object => ({
  ...(done && { run: done.run }),
  add: plan.add.map(({ file, id, title }) => ({ id, title, file })),
  renew: plan.change
    .filter(({ after }) => after.status !== "archived")
    .map(({ before, file }) => ({ id: before.id, file })),
  drop: plan.change
    .filter(({ after }) => after.status === "archived")
    .map(({ before, file }) => ({ id: before.id, file })),
  unchanged: plan.kept,
  left: plan.left,
  refused: [...plan.refused, ...(done?.refused ?? [])],
  skipped: notes,
});

/* Makes the changes of a plan as one run, so that one undo reverts them. */

export interface BootstrapDone {
  run: string;
  added: number;
  changed: number;
  refused: { name: string; why: string }[];
}

const OPERATION = "bootstrap";

export async function writeBootstrap(
  project: Project,
  memories: OpenMemories,
  { add, change }: BootstrapPlan,
): Promise<BootstrapDone> {
  const run = randomUUID().slice(0, 8);
  const cause = { operation: OPERATION, run, isForeign: true as const };
  const done: BootstrapDone = { run, added: 0, changed: 0, refused: [] };
  const progress = createProgress(project.cli, "Writing memories");
  try {
    // One by one, so that a refused memory does not prevent the renewal of others.
    for (const { file, ...planned } of change) {
      const allChanged = await memories.changeAll([planned], cause);
      if (allChanged.kind === "written") done.changed += allChanged.ids.length;
      else done.refused.push({ name: `${planned.before.id} (${file})`, why: allChanged.why });
    }
    const written = await memories.adoptAll(add, cause, (count) => progress.step(count, add.length));
    for (const [n, one] of written.entries()) {
      if (one.kind !== "refused") done.added++;
      else done.refused.push({ name: `${add[n]?.title} (${add[n]?.file})`, why: one.why });
    }
  } finally {
    progress.end();
  }
  return done;
}

/** Ids of archived memories that were taken from a file and whose addition was undone. */
export async function findUndone(
  memories: Pick<OpenMemories, "history">,
  existing: readonly Memory[],
): Promise<Set<string>> {
  const undone = new Set<string>();
  for (const memory of existing) {
    const taken = memory.status === "archived" ? readTaken(memory) : undefined;
    if (!taken || taken.gone) continue;
    const last = (await memories.history(memory.id)).at(-1);
    if (last?.undoes !== undefined) undone.add(memory.id);
  }
  return undone;
}
