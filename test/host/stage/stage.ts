/**
 * The stage for tests with the real host: a project, a scripted model and a running OpenCode with access only to these.
 *
 *     await using stage = await openStage({ files: { "a.txt": "one" } });
 *     stage.model.script(call("read", { filePath: stage.project.file("a.txt") }), say("done"));
 *     const session = await stage.newSession("reading");
 *     await session.ask("read it");
 *     expect(stage.model.lastRequest().toolResult("call_1")).toContain("one");
 *
 * A start takes two seconds of processor time, so the stages of a worker of the test runner share one OpenCode, from file
 * to file: each has a project, a model, a configuration and sessions of its own. Its tests run one after another, so a
 * test may kill the host. Only one that changes what the user has beside the configuration, such as the global memories,
 * needs `alone`. The keeper ends the shared host with its worker.
 */

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { mergeRecords } from "../../../src/base/shape.js";
import { TURNS } from "../../../src/memory/trust/trust.js";
import { removeFolder } from "../../support/remove-folder.js";
import { repository } from "../repository.js";
import type { Client } from "./client.js";
import type { EventStream } from "./event-stream.js";
import { formatConfig, type OpenCode, prepareFolders, startOpenCode } from "./opencode.js";
import { createNextProject, createProject, type Project } from "./project.js";
import { type ScriptedModel, type ScriptedModelOptions, startScriptedModel } from "./scripted-model.js";
import type { Session } from "./session.js";
import type { WhichHost } from "./which-host.js";

/** The contents of an `opencode.json`. */
export type HostConfig = Record<string, unknown>;

/** Options of a stage. */
export interface StageOptions {
  /** Project files by relative path, committed before the host sees them. */
  files?: Record<string, string | Uint8Array>;
  /** Plugins to load: package names, folders or files; the one under test by default. */
  plugin?: string | string[];
  /** The user's options for these plugins. */
  options?: Record<string, unknown>;
  /** Merged into the user's configuration: objects by key, other values replaced. */
  config?: HostConfig;
  /** Whether the host gets the tools of `mcp-server.mjs`: `mcp_blob`, `mcp_oneline`, `mcp_json`, `mcp_fail`. */
  mcp?: boolean;
  /** The project is a fresh clone, in which the user has never used the plugin. */
  isCloned?: boolean;
  /** Runs after the project is created and before the host sees it. */
  prepare?: (project: Project) => void | Promise<void>;
  /** Whether this stage has an OpenCode and a home of its own. */
  alone?: boolean;
  /** Environment variables for a host of its own, or a function of the project that returns them. */
  env?: Record<string, string> | ((project: Project) => Record<string, string>);
  /** Lifetime and clock of the model's prompt caches, and how it counts tokens. */
  promptCache?: ScriptedModelOptions;
}

/** Options of a restart. */
export interface RestartOptions {
  /** Kill the process (SIGKILL); by default the host only closes the project, with its plugins, and opens it again. */
  kill?: boolean;
  /** Merged into the current configuration. */
  config?: HostConfig;
  /** Which OpenCode runs from now on. */
  which?: WhichHost;
  /** Runs while the project is closed. */
  meanwhile?: (project: Project) => void | Promise<void>;
}

/** An open stage. `close` closes it, as does the end of the block with `await using`. */
export interface Stage extends AsyncDisposable {
  readonly project: Project;
  readonly model: ScriptedModel;
  /** The running host, as seen from this project; a new one after a kill. `stop` of a shared one closes the project. */
  readonly host: OpenCode;
  newSession(title?: string): Promise<Session>;
  /** Returns an existing session, for instance after a restart. */
  session(id: string): Session;
  events(): Promise<EventStream>;
  /** The text of a project file. */
  read(relativePath: string): string;
  /** Restarts the plugins, or the host, on the same project and data. */
  restart(options?: RestartOptions): Promise<void>;
  /** Closes the project and the model and removes all files. */
  close(): Promise<void>;
}

/** A home, and the OpenCode that runs in it, or none. */
interface Home {
  readonly root: Project;
  host: OpenCode | undefined;
  /** Projects so far. */
  count: number;
}

/** That of this worker. */
let shared: Promise<Home> | undefined;

async function createHome(): Promise<Home> {
  return { root: await createProject(), host: undefined, count: 0 };
}

/** Opens a stage; cleans up if it fails. */
export async function openStage(options: StageOptions = {}): Promise<Stage> {
  const isAlone = options.alone === true || options.env !== undefined;
  if (!isAlone) shared ??= createHome();
  const home = isAlone || !shared ? await createHome() : await shared;
  const undo: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  if (isAlone) undo.push(home.root.remove);
  try {
    const model = await startScriptedModel(options.promptCache);
    undo.push(model.close);
    const config = stageConfig(model.url, options);
    const { isCloned = false } = options;
    const project = await createNextProject(home.root, options.files ?? {}, ++home.count, { isCloned });
    undo.push(project.remove);
    await options.prepare?.(project);
    const env = typeof options.env === "function" ? options.env(project) : (options.env ?? {});
    const { open, stage } = present({ home, isAlone, model, project, env, config, close });
    // The turn of a host that this stage killed would count for a minute, in the stages behind it as well.
    undo.push(async () => removeFolder(join(project.folders.state, "opencode-strata", TURNS)));
    undo.push(async () => home.host && stage.host.stop().catch(() => undefined));
    await open();
    return stage;
  } catch (error) {
    await close();
    throw error;
  }
}

interface Cast {
  home: Home;
  isAlone: boolean;
  model: ScriptedModel;
  project: Project;
  env: Record<string, string>;
  config: HostConfig;
  close: () => Promise<void>;
}

function present({ home, isAlone, model, project, env, config: initial, close }: Cast): {
  stage: Stage;
  open: (which?: WhichHost) => Promise<void>;
} {
  const streams: EventStream[] = [];
  let config = initial;
  let begun = { host: home.host, at: home.host?.log().length ?? 0 };

  function running(): OpenCode {
    if (!home.host) throw new Error("The host of this stage is not running");
    return home.host;
  }
  const client = (): Client => running().at(project.path);
  const events = async () => {
    const stream = await client().events();
    streams.push(stream);
    return stream;
  };
  async function leave(): Promise<void> {
    for (const stream of streams.splice(0)) stream.close();
    if (home.host) await client().leave();
  }
  async function end(how: "kill" | "stop"): Promise<void> {
    const { host } = home;
    home.host = undefined;
    await host?.[how]();
  }

  /** Opens the project, with the configuration as it is now. */
  async function open(which?: WhichHost): Promise<void> {
    await writeFile(project.configFile, formatConfig(config, which));
    await prepareFolders(project);
    if (home.host?.isRunning() === false) home.host = undefined;
    home.host ??= await startOpenCode({ project: home.root, env, ...(which && { which }) });
    begun = { host: home.host, at: begun.host === home.host ? begun.at : 0 };
    await client().agents();
  }

  const stage: Stage = {
    model,
    project,
    get host() {
      const { host } = begun;
      const log = () =>
        running()
          .log()
          .slice(home.host === host ? begun.at : 0);
      return {
        ...running(),
        ...client(),
        log,
        events,
        stop: isAlone ? () => end("stop") : leave,
        kill: () => end("kill"),
      };
    },
    newSession: (title) => client().newSession(title),
    session: (id) => client().session(id),
    events,
    read: project.read,
    async restart({ kill = false, config: changes, meanwhile, which } = {}) {
      await (kill || which !== undefined ? end(kill ? "kill" : "stop") : leave());
      await meanwhile?.(project);
      if (changes) config = mergeRecords(config, changes);
      await open(which);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
  return { open, stage };
}

/** The `opencode.json` of a stage whose model answers at `url`. */
export function stageConfig(
  url: string,
  { plugin = repository, options, config = {}, mcp = false }: StageOptions,
): HostConfig {
  const specs = [plugin].flat();
  const model = (name: string) => ({
    name,
    limit: { context: 200_000, output: 8_000 },
    // Those that count without a price, too, so that the ledger has dollars.
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
