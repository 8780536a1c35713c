/**
 * Renews, drops and restores memories taken from files of the project, without a command. They remain the
 * repository's words, so the user has to accept a changed one again.
 */
import { randomUUID } from "node:crypto";
import { checkFacts, type FactChange } from "../../src/bootstrap/check-facts.js";
import { readTaken } from "../../src/bootstrap/taken.js";
import type { LayerContext } from "../../src/layer-context.js";

export type FactsContext = Pick<LayerContext, "clock" | "files" | "folders" | "log" | "memories">;

/** All changes of a call are one run, which one undo reverts. Rejects with the system's error. */
export async function renewFacts({ clock, files, folders, log, memories }: FactsContext): Promise<number> {
  const all = await memories.list({ archived: true });
  if (!all.some(readTaken)) return 0;
  const { project } = folders;
  const { changes, returns } = await checkFacts(all, { files, project, nowMs: clock.now() });
  const cause = { operation: "bootstrap", run: randomUUID().slice(0, 8), isForeign: true as const };
  const restored: FactChange[] = [];
  for (const change of returns) {
    const written = await memories.restore(change.before.id, { ...cause, reason: change.reason ?? "" });
    if (written.kind === "refused") log.info("dream", `${change.before.id} not brought back: ${written.why}`);
    else restored.push(change);
  }
  const now = new Map((restored.length > 0 ? await memories.list() : []).map((one) => [one.id, one]));
  let renewed = 0;
  for (const { file, ...change } of [...changes, ...restored]) {
    const before = now.get(change.before.id) ?? change.before;
    const swapped = await memories.swap([{ ...change, before }], cause);
    if (swapped.kind === "written") renewed += swapped.ids.length;
    else log.info("dream", `${change.before.id} not renewed from ${file}: ${swapped.why}`);
  }
  if (renewed > 0) log.info("dream", `${renewed} facts renewed from their files`);
  return renewed;
}
