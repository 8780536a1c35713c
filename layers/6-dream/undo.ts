/** Undoes changes of memory, those of dreams among them. */
import { formatError } from "../../src/base/error.js";
import { nameWords } from "../../src/memory/likeness.js";
import type { Cause } from "../../src/memory/store/ledger.js";
import type { Undone } from "../../src/memory/store/store.js";
import { readDreamState, writeDreamState } from "../../src/project/dream-state.js";
import type { DreamParts } from "./dream.js";
import { markUndone } from "./page.js";

/**
 * Undoes the last change of memory, or the given run, and marks it in the dreams' change logs. The next dream does not
 * repeat the undone changes: it leaves these memories alone.
 */
export async function undoChange(
  { clock, files, folders, log, memories }: Omit<DreamParts, "locks">,
  cause: Omit<Cause, "operation">,
  run?: string,
): Promise<Undone> {
  const undone = await memories.undo({ operation: "undo", ...cause }, run);
  if (undone.kind === "nothing") return undone;
  await markUndone({ files, folder: folders.memory, log }, undone.run, new Date(clock.now()).toISOString());
  if (undone.operation !== "dream") return undone;
  try {
    const present = (await memories.list()).filter(({ id }) => undone.ids.includes(id));
    const state = await readDreamState(files, folders.dreamState);
    const spared = [...state.spared, ...present.map(nameWords)];
    await writeDreamState(files, folders.dreamState, { ...state, spared });
  } catch (thrown) {
    log.warn("dream", `the next dream may repeat the undone changes: ${formatError(thrown)}`);
  }
  return undone;
}

/** Formats the result for people, with a line for each memory. */
export function formatUndone(undone: Undone): string {
  if (undone.kind === "nothing") return `Nothing was changed: ${undone.why}.`;
  const { at, ids, left, operation } = undone;
  const what = `${operation} of ${at.slice(0, 16).replace("T", " ")} UTC`;
  const head = ids.length > 0 ? `Taken back: ${what}` : `Nothing taken back: ${what}`;
  const stays = left.map(({ id, why }) => `Unchanged: ${id}, ${why}.`);
  return [head, ...ids, ...stays].join("\n");
}
