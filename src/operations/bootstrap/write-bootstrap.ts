/** Makes the changes of a plan as one run, so that one undo reverts them. */
import { randomUUID } from "node:crypto";
import type { Memory } from "../../memory/memory.js";
import type { OpenMemories } from "../../memory/store.js";
import type { BootstrapPlan } from "../../sources/bootstrap/plan-bootstrap.js";
import { readTaken } from "../../sources/bootstrap/taken.js";
import { createProgress } from "../progress.js";
import type { Project } from "../project.js";

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
      const swapped = await memories.swap([planned], cause);
      if (swapped.kind === "written") done.changed += swapped.ids.length;
      else done.refused.push({ name: `${planned.before.id} (${file})`, why: swapped.why });
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
