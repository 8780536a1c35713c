/** Entry that OpenCode loads. Only puts the parts together. */
import type { Hooks, PluginInput, PluginOptions } from "@opencode-ai/plugin";
import { stack } from "../layers/index.js";
import { readVariable } from "./host/environment.js";
import { bindHooks } from "./host/hooks.js";
import { createOpenCodeHost } from "./host/opencode.js";
import { createSetup } from "./host/setup.js";
import { systemClock as clock } from "./seams/clock.js";
import { nodeFiles as files } from "./seams/node-files.js";
import { createStrata } from "./strata.js";

export type { StrataOptions } from "./config/schema.js";

async function server(input: PluginInput, options?: PluginOptions): Promise<Hooks> {
  const host = createOpenCodeHost(input, clock);
  return bindHooks(await createStrata({ clock, files, host, readVariable }, stack, options), host);
}

async function setup(context: unknown): Promise<void> {
  await createSetup({ clock, files, parts: stack.layers.map(({ settings }) => settings) })(context);
}

export default { id: "opencode-strata", server, setup };
