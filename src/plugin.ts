/** Entry that OpenCode loads. Only puts the parts together. */
import type { Hooks, PluginInput, PluginOptions } from "@opencode-ai/plugin";
import { stack } from "../layers/index.js";
import { readVariable } from "./host/environment.js";
import { bindHooks } from "./host/hooks.js";
import { createOpenCodeHost } from "./host/opencode.js";
import { systemClock as clock } from "./seams/clock.js";
import type { Host } from "./seams/host.js";
import { nodeFiles as files } from "./seams/node-files.js";
import { createStrata } from "./strata.js";

export type { StrataOptions } from "./config/schema.js";

const open = (host: Host, options?: Record<string, unknown>) =>
  createStrata({ clock, files, host, readVariable }, stack, options);

/** OpenCode 1. */
async function server(input: PluginInput, options?: PluginOptions): Promise<Hooks> {
  const host = createOpenCodeHost(input, clock);
  return bindHooks(await open(host, options), host);
}

/** OpenCode 2, and the core of it inside OpenCode 1, which waits for nothing here. */
async function setup(context: unknown) {
  const { createSetup } = await import("./host/setup/setup.js");
  const parts = stack.layers.map(({ settings }) => settings);
  return createSetup({ clock, files, open, parts })(context);
}

export default { id: "opencode-strata", server, setup };
