/** The plugin in this process: the real layers on a real folder, with a host that only says what it is asked. */
import { join } from "node:path";
import { stack } from "../../../layers/index.js";
import { type Clock, systemClock } from "../../../src/io/clock.js";
import type { Message } from "../../../src/io/message.js";
import { nodeFiles } from "../../../src/io/node-files.js";
import { createStrata } from "../../../src/strata.js";
import type { Project } from "../../host/stage/project.js";
import { createFakeHost, usersOptions } from "../../support/fake-host.js";
import { bindTestHooks } from "../../support/hooks.js";
import { SESSION } from "./host-messages.js";

export interface SimulatedPlugin {
  /** Calls a hook, if the plugin has it. */
  tell(hook: string, ...given: unknown[]): Promise<void>;
  /** Tells of an event. */
  event(type: string, properties: unknown): Promise<void>;
  /** Whether the host may summarize by itself. */
  mayCompact(): boolean;
  /** Resolves when the plugin has nothing left to do. */
  idle(): Promise<void>;
  /** Ends the plugin, with its last writes. */
  close(): Promise<void>;
  /** Milliseconds spent in hooks. */
  hookMs(): number;
}

/** A host without a plugin. */
export const noPlugin: SimulatedPlugin = {
  tell: async () => {},
  event: async () => {},
  mayCompact: () => true,
  idle: async () => {},
  close: async () => {},
  hookMs: () => 0,
};

export interface PluginOptions {
  project: Project;
  /** The time as the host sees it. */
  now: () => number;
  /** All messages of the session. */
  messages: readonly Message[];
  options: Record<string, unknown>;
}

export async function openSimulatedPlugin(given: PluginOptions): Promise<SimulatedPlugin> {
  const { project, messages, options } = given;
  const clock: Clock = { ...systemClock, now: given.now };
  const fake = createFakeHost([
    ...usersOptions(options),
    { path: project.file("opencode.json"), origin: "project" },
  ]);
  const host = Object.assign(fake, {
    project: project.path,
    directory: project.path,
    globalFolder: join(project.folders.config, "opencode"),
    stateFolder: join(project.folders.state, "opencode-strata"),
    configured: {},
    models: () => ({ main: "mock/m1" }),
  });
  host.messages.set(SESSION, messages);
  const strata = await createStrata({ clock, files: nodeFiles, host }, stack, options);
  const hooks = bindTestHooks(strata).hooks as unknown as Record<
    string,
    ((...given: unknown[]) => unknown) | undefined
  >;
  let spentMs = 0;

  async function tell(hook: string, ...args: unknown[]): Promise<void> {
    const begun = performance.now();
    await hooks[hook]?.(...args);
    spentMs += performance.now() - begun;
  }

  return {
    tell,
    event: async (type, properties) => {
      host.sessions.set(SESSION, given.now());
      await hooks.event?.({ event: { type, properties } });
    },
    mayCompact: () => host.isCompacting,
    idle: () => strata.idle(),
    close: () => strata.dispose(),
    hookMs: () => spentMs,
  };
}
