/**
 * Assembles Strata without a host: reads the configuration, creates the log, the ledger, the view and the layers, and
 * returns the dispatcher that answers every hook. All its state belongs to one project; two may live in one process.
 */

import { listSwitches } from "./config/setting.js";
import { waitAtMost } from "./io/clock.js";
import { createCalls } from "./kernel/calls.js";
import { createDispatcher } from "./kernel/dispatcher.js";
import { kernelFiles } from "./kernel/file-kinds.js";
import {
  announce,
  createMemoryParts,
  createRequestParts,
  createSessionParts,
  openCore,
  type Seams,
  waitForAll,
} from "./kernel/kernel.js";
import { createLayers, type Stack } from "./kernel/layer-context.js";
import { createToolChoices } from "./kernel/tool-choices.js";
import { createCheckpoints } from "./notes/checkpoints/checkpoints.js";

export type Strata = Awaited<ReturnType<typeof createStrata>>;

const LAST_WRITES_MS = 1_000;

/** Reads files, sends no request to the host, and never rejects because of a wrong setting. */
export async function createStrata(seams: Seams, stack: Stack, options?: Record<string, unknown>) {
  const parts = stack.layers.map(({ settings }) => settings);
  const core = await openCore(seams, parts, options);
  const { clock, config, files, folders, host, instance, log, looks, toasts, writes } = core;
  const requesting = createRequestParts(core);
  const remembering = createMemoryParts(core, seams);
  const known = { ...core, ...requesting, ...remembering, ...createSessionParts(core, requesting) };
  const calls = createCalls({ clock, files, log, writes, folder: folders.calls, instance });
  const fileKinds = [...kernelFiles, ...stack.layers.flatMap((layer) => layer.files)];
  const context = { ...known, calls, checkpoints: createCheckpoints(known), fileKinds };
  const layers = createLayers(stack.layers, context);
  const tools = layers.flatMap((layer) => layer.tools ?? []);
  const always = stack.always({ ...context, switches: listSwitches(parts), tools });
  const dispatcher = createDispatcher({
    layers: [...always, ...layers],
    clock,
    log,
    isFork: host.isFork,
    onCalled: calls.noteLayer,
  });
  announce(
    core,
    layers.map(({ name }) => name),
  );
  const idle = (): Promise<void> => waitForAll(context, dispatcher);
  let ending: Promise<void> | undefined;
  const end = async (): Promise<void> => {
    await dispatcher.dispose();
    toasts.dispose();
    context.generation.dispose();
    void context.trust.turns.endAll();
    log.info("strata", `instance ${instance} ends`);
    void calls.end();
    await waitAtMost(clock, LAST_WRITES_MS, idle);
  };

  return {
    clock,
    config,
    dispatcher,
    requests: requesting.requests,
    log,
    looks,
    calls,
    toasts,
    toolChoices: createToolChoices({ clock, config, files, folder: folders.tools, log }),
    /** Disposes the layers, once, and waits briefly for pending writes. Never rejects. */
    dispose() {
      ending ??= end();
      return ending;
    },
    /** Resolves when no background work is left. */
    idle,
  };
}
