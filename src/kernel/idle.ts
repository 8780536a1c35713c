import type { Dispatcher } from "./dispatcher.js";
import type { KernelContext } from "./layer-context.js";

type Busy = Pick<
  KernelContext,
  "background" | "deferred" | "generation" | "memories" | "trust" | "writes"
> & {
  embedder: { onIdle(): Promise<void> } | undefined;
};

/** Resolves when no background work is left. In this order, because background work ends in a write. */
export async function waitForAll(
  { background, deferred, embedder, generation, memories, trust, writes }: Busy,
  dispatcher: Dispatcher,
): Promise<void> {
  await background.onIdle();
  await deferred.settle();
  await generation.onIdle();
  await embedder?.onIdle();
  await dispatcher.onIdle();
  await memories.onIdle();
  await trust.turns.onIdle();
  await writes.onIdle();
}
