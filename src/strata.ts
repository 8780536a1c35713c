/**
 * Assembles Strata without a host: reads the configuration, creates the log, the ledger, the view and the layers, and
 * returns the dispatcher that answers every hook. All its state belongs to one project; two may live in one process.
 */

import type { Config } from "./config/schema.js";
import { listSwitches } from "./config/setting.js";
import type { Requests } from "./context/request.js";
import { type Clock, waitAtMost } from "./io/clock.js";
import type { Log } from "./io/log.js";
import type { Toasts } from "./io/toasts.js";
import { type Calls, createCalls } from "./kernel/calls.js";
import { createDispatcher, type Dispatcher } from "./kernel/dispatcher.js";
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
import { createCheckpoints } from "./notes/checkpoints/checkpoints.js";

export interface Strata {
  readonly clock: Clock;
  readonly config: Config;
  readonly dispatcher: Dispatcher;
  readonly requests: Requests;
  readonly log: Log;
  readonly calls: Calls;
  readonly toasts: Toasts;
  /** Disposes the layers, once, and waits briefly for pending writes. Never rejects. */
  dispose(): Promise<void>;
  /** Resolves when no background work is left. */
  idle(): Promise<void>;
}

const LAST_WRITES_MS = 1_000;

/** Reads files, sends no request to the host, and never rejects because of a wrong setting. */
export async function createStrata(
  seams: Seams,
  stack: Stack,
  options?: Record<string, unknown>,
): Promise<Strata> {
  const parts = stack.layers.map(({ settings }) => settings);
  const core = await openCore(seams, parts, options);
  const { clock, config, files, folders, host, instance, log, toasts, writes } = core;
  const requesting = createRequestParts(core);
  const { embedder, ...remembering } = createMemoryParts(core, seams);
  const known = { ...core, ...requesting, ...remembering, ...createSessionParts(core, requesting) };
  const calls = createCalls({ clock, files, log, writes, folder: folders.calls, instance });
  const context = { ...known, calls, checkpoints: createCheckpoints(known) };
  const layers = createLayers(stack.layers, context);
  const tools = layers.flatMap((layer) => layer.tools ?? []);
  const fileKinds = [...kernelFiles, ...stack.layers.flatMap((layer) => layer.files)];
  const always = stack.always({ ...context, fileKinds, switches: listSwitches(parts), tools });
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
  const idle = (): Promise<void> => waitForAll(context, embedder, dispatcher);
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
    calls,
    toasts,
    dispose() {
      ending ??= end();
      return ending;
    },
    idle,
  };
}
