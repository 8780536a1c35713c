/**
 * The stage for tests with the real host: a project, a scripted model and a running OpenCode that knows
 * only these two.
 *
 *     await using stage = await openStage({ files: { "a.txt": "one" }, plugin: repository });
 *     stage.model.script(call("read", { filePath: stage.project.file("a.txt") }), say("done"));
 *     const session = await stage.newSession("reading");
 *     await session.ask("read it");
 *     expect(stage.model.lastRequest().toolResult("call_1")).toContain("one");
 *
 * The project's `opencode.json` is made from the options; a file of that name among `files` is not used.
 */

import { fileURLToPath } from "node:url";
import { mergeRecords } from "../../../src/records.js";
import type { EventStream } from "./event-stream.js";
import type { ModelPort } from "./model-port.js";
import { type OpenCode, type OpenCodeOptions, startOpenCode } from "./opencode.js";
import { createProject, type Project } from "./project.js";
import type { PromptCacheOptions } from "./prompt-cache.js";
import { type ScriptedModel, startScriptedModel } from "./scripted-model.js";
import type { Session } from "./session.js";

/** The contents of an `opencode.json`. */
export type HostConfig = Record<string, unknown>;

/** What is on stage. */
export interface StageOptions {
  /** Files of the project by relative path, committed before the host starts. */
  files?: Record<string, string | Uint8Array>;
  /** The plugins to load, each a package name, a folder or a file; by default none. */
  plugin?: string | string[];
  /** Options for these plugins. */
  options?: Record<string, unknown>;
  /** Merged over the stage's own configuration: objects by key, everything else replaced. */
  config?: HostConfig;
  /** Whether the host gets the tools of `mcp-server.mjs`: `mcp_blob`, `mcp_oneline`, `mcp_json`, `mcp_fail`. */
  mcp?: boolean;
  /** The project is a fresh clone: its user has never worked in it with the plugin. */
  isCloned?: boolean;
  /** Runs when the project is there and before the host starts for the first time. */
  prepare?: (project: Project) => void | Promise<void>;
  /** Environment variables for the host. */
  env?: Record<string, string>;
  /** Lifetime and clock of the model's prompt caches. */
  promptCache?: PromptCacheOptions;
  /** Where the model answers; by default on a port of its own. */
  modelPort?: ModelPort;
}

/** How to start the host again. */
export interface RestartOptions {
  /** Kill the host (SIGKILL) rather than stop it. */
  kill?: boolean;
  /** Merged over the configuration so far. */
  config?: HostConfig;
  /** Runs while no host does. */
  meanwhile?: (project: Project) => void | Promise<void>;
}

/** An open stage. Closed by `close`, or at the end of the block by `await using`. */
export interface Stage extends AsyncDisposable {
  readonly project: Project;
  readonly model: ScriptedModel;
  /** The host that runs now; another one after a restart. */
  readonly host: OpenCode;
  newSession(title?: string): Promise<Session>;
  /** Takes up a session by its id, for instance after a restart. */
  session(id: string): Session;
  events(): Promise<EventStream>;
  /** The text of a file of the project. */
  read(relativePath: string): string;
  /** Starts the host again on the same project and data. */
  restart(options?: RestartOptions): Promise<void>;
  /** Ends host and model and removes every file. */
  close(): Promise<void>;
}

/** Opens a stage; takes one to two seconds. What was begun is undone if it fails. */
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
      { ...options.files, "opencode.json": JSON.stringify(config, null, 2) },
      { isCloned: options.isCloned ?? false },
    );
    undo.push(project.remove);
    await options.prepare?.(project);
    const runner = createRunner({ project, env: options.env ?? {} }, config);
    undo.push(runner.stop);
    await runner.restart();
    return present({ model, project, runner, close });
  } catch (error) {
    await close();
    throw error;
  }
}

/** Holds the one host that runs at a time. */
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
    async restart({ kill = false, config: changes, meanwhile } = {}) {
      await end(kill);
      await meanwhile?.(launch.project);
      if (changes) config = mergeRecords(config, changes);
      host = await startOpenCode(changes ? { ...launch, config } : launch);
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

function stageConfig(
  url: string,
  { plugin = [], options, config = {}, mcp = false }: StageOptions,
): HostConfig {
  const specs = [plugin].flat();
  const model = (name: string) => ({
    name,
    limit: { context: 200_000, output: 8_000 },
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
    // Keeping the project in a git of its own takes the host most of a small turn; only an undo needs it.
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
