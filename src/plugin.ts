/** Entry that OpenCode loads. Only puts the parts together. */
import type { Hooks, PluginInput, PluginOptions } from "@opencode-ai/plugin";
import { stack as layers } from "../layers/index.js";
import { bindHooks } from "./host/1/hooks.js";
import { createOpenCodeHost } from "./host/1/opencode.js";
import { readVariable } from "./host/environment.js";
import { systemClock as clock } from "./io/clock.js";
import type { Host } from "./io/host.js";
import { nodeFiles as files } from "./io/node-files.js";
import { withSlashCommands } from "./operations/slash-commands.js";
import { createStrata } from "./strata.js";

export type { StrataOptions } from "./config/schema.js";

const stack = withSlashCommands(layers);

const open = (host: Host, options?: Record<string, unknown>) =>
  createStrata({ clock, files, host, readVariable }, stack, options);

/** OpenCode 1. */
async function server(input: PluginInput, options?: PluginOptions): Promise<Hooks> {
  const host = createOpenCodeHost(input, clock);
  return bindHooks(await open(host, options), host);
}

/** OpenCode 2, and the core of it inside OpenCode 1, which waits for nothing here. */
async function setup(context: unknown) {
  const { createSetup } = await import("./host/2/setup.js");
  const parts = stack.layers.map(({ settings }) => settings);
  return createSetup({ clock, files, open, parts })(context);
}

export default { id: "opencode-strata", server, setup };
