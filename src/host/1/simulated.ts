/** The plugin as an arm of a simulation: the real layers behind OpenCode 1's hooks, without OpenCode. */
import { join } from "node:path";
import type { Hooks } from "@opencode-ai/plugin";
import type { Files } from "../../io/files.js";
import type { ConfigFile, Host } from "../../io/host.js";
import { createRunningProcesses } from "../../io/running-processes.js";
import { formatParameters } from "../../kernel/layer.js";
import type { Stack } from "../../kernel/layer-context.js";
import { createStrata } from "../../strata.js";
import { type Arm, type ArmGiven, SESSION } from "../../trial/simulate.js";
import { NO_OWN_SESSIONS } from "../environment.js";
import { bindHooks } from "./hooks.js";
import { createLiveConfig } from "./live-config.js";
import { createPluginSessions } from "./plugin-sessions.js";

export interface PluginOptions {
  /** What is written there should be forgotten afterwards. */
  files: Files;
  /** The project; the user's own folders are below it too, so that nothing of theirs is read. */
  folder: string;
  stack: Stack;
  /** Where settings are. */
  configFiles: readonly ConfigFile[];
  /** Of the entry in the `plugin` list. */
  options?: Record<string, unknown> | undefined;
  /** The opening has its tools already. */
  isOffered?: boolean;
}

type Hook = (...told: unknown[]) => unknown;

/** Opens the plugin anew for each simulation. */
export const planPlugin =
  ({ configFiles, files, folder, isOffered = false, options, stack }: PluginOptions) =>
  async (given: ArmGiven): Promise<Arm> => {
    let isCompacting = true;
    const host = createHost(folder, configFiles, given, (on) => {
      isCompacting = on;
    });
    const strata = await createStrata({ clock: given.clock, files, host }, stack, options);
    const hooks = bindHooks(strata, {
      liveConfig: createLiveConfig(),
      ...{ sessions: createPluginSessions(), shortened: new Map<string, number>() },
      show: async () => true,
    });
    const tell = async (hook: keyof Hooks, ...told: unknown[]): Promise<void> =>
      void (await (hooks[hook] as Hook | undefined)?.(...told));
    const session = { sessionID: SESSION, agent: "build" };
    return {
      turn: ({ info, parts }) => tell("chat.message", session, { message: info, parts }),
      view: (messages) => tell("experimental.chat.messages.transform", {}, { messages }),
      model: (model) => tell("chat.params", { ...session, model }, {}),
      call: ({ callID, state, tool }) =>
        tell("tool.execute.before", { tool, callID, sessionID: SESSION }, { args: state.input ?? {} }),
      event: (type, properties) => tell("event", { event: { type, properties } }),
      mayCompact: () => isCompacting,
      idle: strata.idle,
      close: strata.dispose,
      tools: isOffered
        ? []
        : strata.dispatcher.tools.map(({ description, name, parameters }) => ({
            type: "function",
            function: { name, description, parameters: formatParameters(parameters) },
          })),
    };
  };

/** A host that has one session, no model and no screen. */
function createHost(
  folder: string,
  configFiles: readonly ConfigFile[],
  { clock, messages }: ArmGiven,
  setAutoCompaction: (on: boolean) => void,
): Host {
  const why = "a simulation asks no model";
  return {
    ...{ project: folder, directory: folder, configFiles, setAutoCompaction },
    globalFolder: join(folder, "user", "config"),
    stateFolder: join(folder, "user", "state"),
    processes: createRunningProcesses(),
    git: { ask: async () => undefined },
    sessionLastUsedMs: async (id) => (id === SESSION ? clock.now() : undefined),
    models: () => ({}),
    generate: async () => ({ kind: "failed", reason: why }),
    runFork: async () => ({ kind: "refused", reason: why }),
    ...NO_OWN_SESSIONS,
    findParent: async () => undefined,
    readMessages: async (_id, last = Number.POSITIVE_INFINITY) => messages.slice(-last),
    listFilesPutBack: async () => undefined,
    abortSession() {},
    toast() {},
  };
}
