/** Undoes changes of memory, those of dreams among them. */
import { formatError } from "../../src/base/error.js";
import type { Clock } from "../../src/io/clock.js";
import type { Files } from "../../src/io/files.js";
import type { Log } from "../../src/io/log.js";
import { nameWords } from "../../src/memory/likeness.js";
import type { Cause } from "../../src/memory/store/ledger-line.js";
import type { Memories, Undone } from "../../src/memory/store/store.js";
import { readDreamState, writeDreamState } from "../../src/project/dream-state.js";
import type { Folders } from "../../src/project/folders.js";
import { markUndone } from "./page.js";

export interface UndoOptions {
  clock: Clock;
  files: Files;
  folders: Folders;
  log: Log;
  memories: Memories;
}

/**
 * Undoes the last change of memory, or the given run, and marks it in the dreams' change logs. The next dream does not
 * repeat the undone changes.
 */
export async function undoChange(
  options: UndoOptions,
  cause: Omit<Cause, "operation">,
  run?: string,
): Promise<Undone> {
  const { clock, files, folders, log, memories } = options;
  const undone = await memories.undo({ operation: "undo", ...cause }, run);
  if (undone.kind === "nothing") return undone;
  await markUndone({ files, folder: folders.memory, log }, undone.run, new Date(clock.now()).toISOString());
  if (undone.operation === "dream") await spare(options, undone.ids);
  return undone;
}

/** Has dreams leave these memories alone. Never rejects: the undo is already done. */
async function spare({ files, folders, log, memories }: UndoOptions, ids: readonly string[]): Promise<void> {
  try {
    const undone = new Set(ids);
    const spared = (await memories.list()).filter(({ id }) => undone.has(id)).map(nameWords);
    const state = await readDreamState(files, folders.dreamState);
    await writeDreamState(files, folders.dreamState, { ...state, spared: [...state.spared, ...spared] });
  } catch (thrown) {
    log.warn("dream", `the next dream may repeat the undone changes: ${formatError(thrown)}`);
  }
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
