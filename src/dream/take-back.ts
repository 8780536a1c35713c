import type { Cause, Memories, Undone } from "../memory/store.js";
import type { Clock } from "../seams/clock.js";
import type { DreamPages } from "./pages.js";

/** Takes back what was last done to memory, or in this run, and notes it in the change logs of dreams. */
export async function takeBack(
  { clock, memories, pages }: { clock: Clock; memories: Memories; pages: DreamPages },
  cause: Omit<Cause, "operation">,
  run?: string,
): Promise<Undone> {
  const undone = await memories.undo({ operation: "undo", ...cause }, run);
  if (undone.kind === "undone") await pages.markUndone(undone.run, new Date(clock.now()).toISOString());
  return undone;
}

/** For people, a line for each memory. */
export function formatUndone(undone: Undone): string {
  if (undone.kind === "nothing") return `Nothing was changed: ${undone.why}.`;
  const { at, ids, left, operation } = undone;
  const stays = left.map(({ id, why }) => `Left as it is: ${id}, ${why}.`);
  return [`Taken back: ${operation} of ${at.slice(0, 16).replace("T", " ")}`, ...ids, ...stays].join("\n");
}
