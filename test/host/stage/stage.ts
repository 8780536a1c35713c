/**
 * The stage for tests with the real host: a project, a scripted model and a running OpenCode with access
 * only to these two.
 *
 *     await using stage = await openStage({ files: { "a.txt": "one" }, plugin: repository });
 *     stage.model.script(call("read", { filePath: stage.project.file("a.txt") }), say("done"));
 *     const session = await stage.newSession("reading");
 *     await session.ask("read it");
 *     expect(stage.model.lastRequest().toolResult("call_1")).toContain("one");
 *
 * The project's `opencode.json` is generated from the options; one among `files` is ignored.
 */

import { fileURLToPath } from "node:url";
import { mergeRecords } from "../../../src/base/shape.js";
import type { EventStream } from "./event-stream.js";
import type { ModelPort } from "./model-port.js";
import { formatConfig, type OpenCode, type OpenCodeOptions, startOpenCode } from "./opencode.js";
import { createProject, type Project } from "./project.js";
import { type ScriptedModel, type ScriptedModelOptions, startScriptedModel } from "./scripted-model.js";
import type { Session } from "./session.js";
import type { WhichHost } from "./which-host.js";

/** The contents of an `opencode.json`. */
export type HostConfig = Record<string, unknown>;

/** Options of a stage. */
export interface StageOptions {
  /** Project files by relative path, committed before the host starts. */
  files?: Record<string, string | Uint8Array>;
  /** Plugins to load: package names, folders or files; none by default. */
  plugin?: string | string[];
  /** Options for these plugins. */
  options?: Record<string, unknown>;
  /** Merged into the stage's configuration: objects by key, other values replaced. */
  config?: HostConfig;
  /** Whether the host gets the tools of `mcp-server.mjs`: `mcp_blob`, `mcp_oneline`, `mcp_json`, `mcp_fail`. */
  mcp?: boolean;
  /** The project is a fresh clone, in which the user has never used the plugin. */
  isCloned?: boolean;
  /** Runs after the project is created and before the host's first start. */
  prepare?: (project: Project) => void | Promise<void>;
  /** Environment variables for the host, or a function of the project that returns them. */
  env?: Record<string, string> | ((project: Project) => Record<string, string>);
  /** Lifetime and clock of the model's prompt caches, and how it counts tokens. */
  promptCache?: ScriptedModelOptions;
  /** Port on which the model answers; its own by default. */
  modelPort?: ModelPort;
}

/** Options of a restart. */
export interface RestartOptions {
  /** Kill the host (SIGKILL) rather than stop it. */
  kill?: boolean;
  /** Merged into the current configuration. */
  config?: HostConfig;
  /** Which OpenCode runs from now on. */
  which?: WhichHost;
  /** Runs while no host is running. */
  meanwhile?: (project: Project) => void | Promise<void>;
}

/** An open stage. `close` closes it, as does the end of the block with `await using`. */
export interface Stage extends AsyncDisposable {
  readonly project: Project;
  readonly model: ScriptedModel;
  /** The running host; a new one after a restart. */
  readonly host: OpenCode;
  newSession(title?: string): Promise<Session>;
  /** Returns an existing session, for instance after a restart. */
  session(id: string): Session;
  events(): Promise<EventStream>;
  /** The text of a project file. */
  read(relativePath: string): string;
  /** Restarts the host on the same project and data. */
  restart(options?: RestartOptions): Promise<void>;
  /** Stops host and model and removes all files. */
  close(): Promise<void>;
}

/** Opens a stage in one to two seconds; cleans up if it fails. */
export async function openStage(options: StageOptions = {}): Promise<Stage> {
  const undo: (() => Promise<void>)[] = [];
  const close = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    const model = await startScriptedModel(options.promptCache, options.modelPort);
    undo.push(model.close);
    const config = stageConfig(model.url, options);
    const project = await createProject(
      { ...options.files, "opencode.json": formatConfig(config) },
      { isCloned: options.isCloned ?? false },
    );
    undo.push(project.remove);
    await options.prepare?.(project);
    const env = typeof options.env === "function" ? options.env(project) : (options.env ?? {});
    const runner = createRunner({ project, env }, config);
    undo.push(runner.stop);
    await runner.restart();
    return present({ model, project, runner, close });
  } catch (error) {
    await close();
    throw error;
  }
}

/** Holds the running host; only one runs at a time. */
interface Runner {
  current(): OpenCode;
  restart(options?: RestartOptions): Promise<void>;
  stop(): Promise<void>;
}

function createRunner(launch: OpenCodeOptions, initial: HostConfig): Runner {
  let host: OpenCode | undefined;
  let config = initial;

  async function end(kill: boolean): Promise<void> {
    const ending = host;
    host = undefined;
    await (kill ? ending?.kill() : ending?.stop());
  }

  return {
    current() {
      if (!host) throw new Error("The host of this stage is not running");
      return host;
    },
    async restart({ kill = false, config: changes, meanwhile, which = launch.which } = {}) {
      await end(kill);
      await meanwhile?.(launch.project);
      if (changes) config = mergeRecords(config, changes);
      host = await startOpenCode({ ...launch, ...(changes && { config }), ...(which && { which }) });
    },
    stop: () => end(false),
  };
}

interface Cast {
  model: ScriptedModel;
  project: Project;
  runner: Runner;
  close: () => Promise<void>;
}

function present({ model, project, runner, close }: Cast): Stage {
  return {
    model,
    project,
    get host() {
      return runner.current();
    },
    newSession: (title) => runner.current().newSession(title),
    session: (id) => runner.current().session(id),
    events: () => runner.current().events(),
    read: project.read,
    restart: runner.restart,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** The `opencode.json` of a stage whose model answers at `url`. */
export function stageConfig(
  url: string,
  { plugin = [], options, config = {}, mcp = false }: StageOptions,
): HostConfig {
  const specs = [plugin].flat();
  const model = (name: string) => ({
    name,
    limit: { context: 200_000, output: 8_000 },
    // Without prices a model counts as free, and little is cleared.
    cost: { input: 1, output: 5, cache_read: 0.1, cache_write: 1.25 },
    tool_call: true,
    attachment: true,
    modalities: { input: ["text", "image"], output: ["text"] },
  });
  const own: HostConfig = {
    $schema: "https://opencode.ai/config.json",
    plugin: specs.map((spec) => (options ? [spec, options] : spec)),
    share: "disabled",
    autoupdate: false,
    permission: { "*": "allow" },
    // Snapshots take the host most of a small turn, and only an undo needs them.
    snapshot: false,
    model: "mock/m1",
    small_model: "mock/m1",
    provider: {
      mock: {
        npm: "@ai-sdk/openai-compatible",
        options: { baseURL: url, apiKey: "none" },
        models: { m1: model("m1"), m2: model("m2") },
      },
    },
    ...(mcp
      ? { mcp: { mcp: { type: "local", command: [process.execPath, mcpServer], timeout: 30_000 } } }
      : {}),
  };
  return mergeRecords(own, config);
}

const mcpServer = fileURLToPath(new URL("./mcp-server.mjs", import.meta.url));
