/**
 * Runs the real OpenCode as a server for one project, cut off from the user and from the network.
 *
 * - All its folders are under the project's temporary root. Of the environment it gets only PATH and what a
 *   test passes. It fetches no updates, models, language servers or packages.
 * - It leads its own process group, registered with the keeper, so that neither a failing nor a killed test
 *   leaves it running.
 * - Every wait is bounded and fails with the end of the host's log.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, existsSync } from "node:fs";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, relative } from "node:path";
import { rgPath } from "@vscode/ripgrep";
import { isRecord, type PlainRecord } from "../../../src/base/shape.js";
import { STARTS } from "../../run/run-folder.js";
import { patiently } from "../../support/patience.js";
import { type Client, createClient, PASSWORD } from "./client.js";
import type { EventStream } from "./event-stream.js";
import { entrust } from "./keeper.js";
import { findOpenCode, findOpenCode2 } from "./opencode-binary.js";
import type { Project } from "./project.js";
import { createMark, killStrays, type Mark } from "./strays.js";
import { HOST, type WhichHost } from "./which-host.js";

/** What to start. */
export interface OpenCodeOptions {
  project: Project;
  /** Environment variables in addition to those that isolate the host. */
  env?: Record<string, string>;
  /** Which OpenCode; by default that of this run. */
  which?: WhichHost;
}

/** A running host. */
export interface OpenCode extends Client {
  readonly url: string;
  readonly pid: number;
  /** The same host for another project. */
  at(directory: string): Client;
  /** Its standard error: its log and what plugins print. */
  log(): string;
  isRunning(): boolean;
  /** Sends SIGTERM, then SIGKILL after 5 s. */
  stop(): Promise<void>;
  /** Kills it and its children at once (SIGKILL), as a power cut would. */
  kill(): Promise<void>;
}

const startTimeoutMs = patiently(30_000);
const stopTimeoutMs = patiently(5_000);

/** Starts a host; resolves when it listens, rejects with the end of its log after 30 s. */
export async function startOpenCode({ project, env = {}, which = HOST }: OpenCodeOptions): Promise<OpenCode> {
  await prepareFolders(project);
  const args = [
    "serve",
    "--hostname",
    "127.0.0.1",
    "--port",
    "0",
    "--print-logs",
    "--log-level",
    which === 2 ? "info" : "INFO",
  ];
  const mark = createMark();
  const child = spawn(findHost(which), args, {
    cwd: project.path,
    env: { ...isolation(project, which), ...mark, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  countStart(which);
  const running = watch(child, mark);
  const url = await running.listening();
  const client = createClient(url, project.path, { which });
  const streams: EventStream[] = [];

  async function end(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    for (const stream of streams) stream.close();
    await running.end(signal);
  }

  return {
    ...client,
    url,
    pid: child.pid ?? 0,
    at: (directory) => createClient(url, directory, { which, isShared: true }),
    events: async () => {
      const stream = await client.events();
      streams.push(stream);
      return stream;
    },
    log: running.log,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    stop: () => end("SIGTERM"),
    kill: () => end("SIGKILL"),
  };
}

/** Notes that an OpenCode is started, and for which test. */
export function countStart(which: WhichHost): void {
  const { filepath = "" } =
    (globalThis as { __vitest_worker__?: { filepath?: string } }).__vitest_worker__ ?? {};
  appendFileSync(join(tmpdir(), STARTS), `${which} ${relative(process.cwd(), filepath)}\n`);
}

export const findHost = (which = HOST): string => (which === 2 ? findOpenCode2() : findOpenCode());

/** The text of an `opencode.json` that is given in OpenCode 1's form. */
export function formatConfig(config: Record<string, unknown>, which = HOST): string {
  return `${JSON.stringify(which === 2 ? toConfig2(config) : config, null, 2)}\n`;
}

/** Runs a host command such as `run` in the project and waits for it; kills it after 60 s. */
export async function runOpenCode(
  project: Project,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ code: number | null; out: string; log: string }> {
  await prepareFolders(project);
  countStart(HOST);
  const child = spawn(findHost(), args, {
    cwd: project.path,
    env: { ...isolation(project), ...env },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: patiently(60_000),
    killSignal: "SIGKILL",
  });
  let out = "";
  let log = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    log += text;
  });
  const [code] = (await once(child, "close")) as [number | null];
  return { code, out, log };
}

/** Prepares files that the host would otherwise fetch. Does not create `.opencode`. */
export async function prepareFolders({ root, folders, file }: Project): Promise<void> {
  const config = join(folders.config, "opencode");
  await mkdir(config, { recursive: true });
  await providePluginPackage(config);
  if (existsSync(file(".opencode"))) await providePluginPackage(file(".opencode"));
  // An empty catalogue of models: reading the host's built-in one takes most of a second.
  await writeFile(join(root, "models.json"), "{}");
}

/** The environment that cuts a host off from the user and from the network. */
export function isolation({ configFile, root, folders }: Project, which = HOST): Record<string, string> {
  return {
    PATH: [dirname(rgPath), process.env.PATH].join(delimiter),
    LANG: "C.UTF-8",
    HOME: folders.home,
    TMPDIR: folders.tmp,
    XDG_CONFIG_HOME: folders.config,
    XDG_DATA_HOME: folders.data,
    XDG_STATE_HOME: folders.state,
    XDG_CACHE_HOME: folders.cache,
    // Settings in this file count as the user's own. Those of a repository go into other files, such as
    // `.opencode/opencode.json`.
    OPENCODE_CONFIG: configFile,
    OPENCODE_TEST_MANAGED_CONFIG_DIR: join(root, "managed"),
    OPENCODE_MODELS_PATH: join(root, "models.json"),
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    OPENCODE_DISABLE_SHARE: "1",
    ...(which === 2 && { XDG_RUNTIME_DIR: folders.tmp, OPENCODE_PASSWORD: PASSWORD, STRATA_HOST: "2" }),
    GIT_CONFIG_NOSYSTEM: "1",
    npm_config_offline: "true",
    npm_config_update_notifier: "false",
  };
}

interface Running {
  /** The address printed by the host. */
  listening(): Promise<string>;
  log(): string;
  end(signal: "SIGTERM" | "SIGKILL"): Promise<void>;
}

function watch(child: ChildProcess, mark: Mark): Running {
  const release = child.pid === undefined ? () => {} : entrust({ group: child.pid });
  const exited = once(child, "exit").catch(() => []);
  let gone = false;
  let out = "";
  let log = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    log += text;
  });

  async function end(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    // After it has exited, its pid may belong to another process.
    if (gone) return;
    if (signal === "SIGKILL") killGroup(child);
    else child.kill(signal);
    const timer = setTimeout(() => killGroup(child), stopTimeoutMs);
    await exited;
    clearTimeout(timer);
    if (gone) return;
    gone = true;
    killGroup(child);
    await killStrays(mark);
    release();
  }

  function listening(): Promise<string> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => giveUp(`was not listening after ${startTimeoutMs} ms`), startTimeoutMs);
      child.once("error", (error) => giveUp(`could not be started: ${error.message}`));
      child.once("exit", onExit);
      child.stdout?.setEncoding("utf8").on("data", (text: string) => {
        out += text;
        const address = /listening on (http\S+)/.exec(out)?.[1];
        if (address) settle(() => resolve(address));
      });

      function onExit(code: number | null, signal: string | null): void {
        giveUp(`ended (${signal ?? `exit code ${code}`}) before it listened`);
      }

      function giveUp(what: string): void {
        const last = `${out}${log}`.trim().split("\n").slice(-15).join("\n") || "(nothing)";
        const error = new Error(`OpenCode ${what}. It last said:\n${last}`);
        settle(() => void end("SIGKILL").then(() => reject(error)));
      }

      function settle(act: () => void): void {
        clearTimeout(timer);
        child.off("exit", onExit);
        act();
      }
    });
  }

  return { listening, log: () => log, end };
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // Every process of the group has ended.
  }
}

/**
 * Keeps the host from running `npm install` at every start.
 *
 * In each configuration folder (the global one, the project's `.opencode`) the host installs
 * `@opencode-ai/plugin` in the background, and plugins and custom tools load only afterwards. It skips a
 * folder with `node_modules` whose `package-lock.json` lists, at the root, every dependency of
 * `package.json` and that package. So this writes both files and links the package to the one installed in
 * this repository; custom tools can import it as usual.
 */

const name = "@opencode-ai/plugin";
const require = createRequire(import.meta.url);

/** Provides the plugin package in a configuration folder, unless it already has `node_modules`. */
async function providePluginPackage(folder: string): Promise<void> {
  const modules = join(folder, "node_modules");
  if (existsSync(modules)) return;
  const link = join(modules, name);
  await mkdir(dirname(link), { recursive: true });
  await symlink(installedFolder(), link, "junction");

  const manifest = existsSync(join(folder, "package.json"))
    ? (JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as { dependencies?: object })
    : {};
  const dependencies = { ...manifest.dependencies, [name]: "*" };
  const lock = { lockfileVersion: 3, packages: { "": { dependencies } } };
  await writeFile(join(folder, "package.json"), JSON.stringify({ ...manifest, dependencies }, null, 2));
  await writeFile(join(folder, "package-lock.json"), JSON.stringify(lock, null, 2));
}

/** Searches the folders, since the package exports nothing that `require.resolve` could resolve. */
function installedFolder(): string {
  const places = (require.resolve.paths(name) ?? []).map((modules) => join(modules, name));
  const found = places.find((folder) => existsSync(join(folder, "package.json")));
  if (!found) throw new Error(`${name} is not installed; looked in ${places.join(", ")}`);
  return found;
}

/** The stage's configuration, which is written for OpenCode 1, in the form of OpenCode 2. Unknown keys stay. */

function toConfig2(config: PlainRecord): PlainRecord {
  const {
    agent,
    autoupdate: _,
    compaction,
    mcp,
    permission,
    plugin,
    provider,
    small_model: small,
    snapshot,
    ...rest
  } = config;
  const title = typeof small === "string" ? { title: { model: small } } : {};
  return {
    ...rest,
    update: "disable",
    permissions: toPermissions(permission),
    snapshots: snapshot ?? false,
    agents: { ...title, ...(isRecord(agent) && mapValues(agent, toAgent)) },
    plugins: Array.isArray(plugin) ? plugin.map(toPlugin) : [],
    ...(isRecord(provider) && { providers: mapValues(provider, toProvider) }),
    ...(isRecord(compaction) && { compaction: toCompaction(compaction) }),
    ...(isRecord(mcp) && { mcp: { servers: mapValues(mcp, toServer) } }),
  };
}

const ACTIONS: Readonly<Record<string, string>> = { bash: "shell", task: "subagent" };

const toPermissions = (permission: unknown): PlainRecord[] =>
  Object.entries(isRecord(permission) ? permission : {}).map(([action, effect]) => ({
    ...{ action: ACTIONS[action] ?? action, resource: "*", effect },
  }));

const toAgent = ({ permission, ...agent }: PlainRecord): PlainRecord => ({
  ...agent,
  ...(isRecord(permission) && { permissions: toPermissions(permission) }),
});

const toPlugin = (entry: unknown): unknown =>
  Array.isArray(entry) ? { package: entry[0], options: entry[1] } : entry;

function toCompaction({ auto, reserved }: PlainRecord): PlainRecord {
  return { ...(auto !== undefined && { auto }), ...(reserved !== undefined && { buffer: reserved }) };
}

/** Its tools are offered to the model as such, not to programs in Code Mode. */
const toServer = ({ timeout: _, ...server }: PlainRecord): PlainRecord => ({ ...server, codemode: false });

function toProvider({ models = {}, name = "Mock", options }: PlainRecord): PlainRecord {
  return {
    name,
    package: "@opencode/ai/providers/openai-compatible",
    settings: options,
    models: mapValues(models as PlainRecord, toModel),
  };
}

function toModel({ cost, limit, modalities, name }: PlainRecord): PlainRecord {
  const { input = ["text"], output = ["text"] } = isRecord(modalities) ? modalities : {};
  return { name, limit, capabilities: { tools: true, input, output }, ...(isRecord(cost) && toCost(cost)) };
}

function toCost({ cache_read: read, cache_write: write, input, output }: PlainRecord): PlainRecord {
  return { cost: { input, output, cache: { read, write } } };
}

function mapValues(record: PlainRecord, change: (value: PlainRecord) => PlainRecord): PlainRecord {
  return Object.fromEntries(
    Object.entries(record).map(([key, value]) => [key, change(value as PlainRecord)]),
  );
}
