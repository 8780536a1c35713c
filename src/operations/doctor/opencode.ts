/** The installed OpenCode: its path, its version, and a headless run isolated from the user's files and the network. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { delimiter, isAbsolute, join } from "node:path";
import { StrataError } from "../../base/error.js";
import { compareVersions, findChanges, findTested, isSecond } from "../../base/tested.js";
import { readConfigFiles } from "../../config/plugin-entries.js";
import { type Clock, waitAtMost } from "../../io/clock.js";
import type { Files } from "../../io/files.js";
import type { ConfigFile } from "../../io/host.js";
import type { CliContext } from "../command.js";
import { type Finding, fine, note, problem, warning } from "./machine.js";

export type OpenCodeRun = Awaited<ReturnType<typeof serveOpenCode>>;

const STOP_MS = 3_000;
const VERSION_MS = 60_000;

/** npm puts a script beside the program that it starts, which only a shell of Windows runs. */
const PROGRAMS =
  process.platform === "win32" ? ["opencode.exe", "node_modules/opencode-ai/bin/opencode.exe"] : ["opencode"];

/** OpenCode in the PATH; never in the project's node_modules, since a repository may bring a program of that name. */
export async function findOpenCode(cli: Pick<CliContext, "env" | "files">): Promise<string | undefined> {
  const folders = (cli.env.PATH ?? "").split(delimiter).filter(isAbsolute);
  for (const path of folders.flatMap((folder) => PROGRAMS.map((name) => join(folder, name))))
    if ((await cli.files.stat(path).catch(() => undefined))?.kind === "file") return path;
  return undefined;
}

/** The program in the PATH and its version, which is `undefined` if it does not run. */
export async function findProgram(cli: Pick<CliContext, "clock" | "env" | "files">) {
  const binary = await findOpenCode(cli);
  return { binary, version: binary === undefined ? undefined : await readVersion(binary, cli.clock) };
}

/** What `--version` prints; `undefined` if it does not run. */
async function readVersion(binary: string, clock: Clock): Promise<string | undefined> {
  const child = spawn(binary, ["--version"], { stdio: ["ignore", "pipe", "ignore"] });
  let out = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text;
  });
  const ended = await waitAtMost(clock, VERSION_MS, () => once(child, "close"));
  child.kill("SIGKILL");
  return ended.kind === "done" ? /\d+\.\d+\.\d+\S*/.exec(out)?.[0] : undefined;
}

/* Which OpenCode a person works with, for whom an entry is written. */

/** Settings that OpenCode 1 has under other names. */
const OF_SECOND = ["plugins", "providers", "permissions", "agents"] as const;

/** The `opencode` in the PATH; if none runs, a configuration in OpenCode 2's form; else OpenCode 1. `why` is for the person. */
export async function findHost(
  cli: CliContext,
  configFiles: readonly ConfigFile[],
): Promise<{ isSecond: boolean; why: string }> {
  const { binary, version } = await findProgram(cli);
  if (version !== undefined)
    return { isSecond: isSecond(version), why: `${binary} in the PATH is OpenCode ${version}` };
  const none = "no working opencode is in the PATH";
  const { parsed } = await readConfigFiles(cli.files, configFiles);
  for (const { contents, path } of parsed) {
    const key = OF_SECOND.find((name) => name in contents);
    if (key !== undefined) return { isSecond: true, why: `${none}, but ${path} has OpenCode 2's "${key}"` };
  }
  return { isSecond: false, why: `${none}, and no configuration is in OpenCode 2's form` };
}

interface ServeOptions {
  binary: string;
  clock: Clock;
  env: NodeJS.ProcessEnv;
  project: string;
  startMs: number;
  isSecond?: boolean;
  /** Arguments besides those that every server gets. */
  args?: readonly string[];
  /** Told everything printed so far, whenever it has printed more. */
  onWords?(words: string): void;
}

/**
 * Starts a server with exactly this environment, on this machine only, and resolves when it listens. Throws with its
 * last lines if it does not in time.
 */
export async function serveOpenCode(options: ServeOptions) {
  const { args = [], binary, clock, env, isSecond = false, onWords, project, startMs } = options;
  const level = isSecond ? "warn" : "WARN";
  const own = ["serve", "--hostname", "127.0.0.1", "--port", "0", "--print-logs", "--log-level", level];
  const child = spawn(binary, [...own, ...args], { cwd: project, env, stdio: ["ignore", "pipe", "pipe"] });
  let words = "";
  const take = (text: string) => {
    words = `${words}${text}`.slice(-20_000);
    onWords?.(words);
  };
  child.stderr.setEncoding("utf8").on("data", take);
  const listening = new Promise<string>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`it exited with ${code}`)));
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      take(text);
      const address = /listening on (http\S+)/.exec(words)?.[1];
      if (address) resolve(address);
    });
  });
  /** The last lines that it printed. */
  const lastWords = (): string => words.trim().split("\n").slice(-5).join("\n");
  const waited = await waitAtMost(clock, startMs, () => listening);
  if (waited.kind === "done") return { url: waited.value, lastWords, stop: () => stop(child, clock) };
  await stop(child, clock);
  const why = waited.kind === "failed" ? String(waited.thrown) : `it did not listen within ${startMs} ms`;
  throw new StrataError("NO_HOST", `${binary} could not be started: ${why}. ${lastWords()}`);
}

async function stop(child: ChildProcess, clock: Clock): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  const waited = await waitAtMost(clock, STOP_MS, () => exited);
  if (waited.kind === "done") return;
  child.kill("SIGKILL");
  await exited;
}

interface Isolation {
  files: Files;
  env: CliContext["env"];
  /** Folder for everything that the host writes. */
  root: string;
  /** The user's home folder, if it is to install packages as the user would; without it, it asks no registry. */
  installsFor?: string;
}

/**
 * The environment in which OpenCode keeps everything under `root` and fetches neither updates nor models. Provides what it
 * would otherwise fetch at its start: the package for plugin authors, and the model catalogue.
 */
export async function prepareOpenCode(options: Isolation): Promise<NodeJS.ProcessEnv> {
  const { env, files, installsFor, root } = options;
  const name = "@opencode-ai/plugin";
  const folder = join(root, "config", "opencode");
  const dependencies = { [name]: "*" };
  const lock = { lockfileVersion: 3, packages: { "": { dependencies } } };
  await files.writeWhole(join(folder, "package.json"), JSON.stringify({ dependencies }));
  await files.writeWhole(join(folder, "package-lock.json"), JSON.stringify(lock));
  const manifest = JSON.stringify({ name, version: "0.0.0" });
  await files.writeWhole(join(folder, "node_modules", name, "package.json"), manifest);
  await files.writeWhole(join(root, "models.json"), "{}");
  for (const place of ["home", "data", "state", "cache", "tmp"])
    await files.writeWhole(join(root, place, ".keep"), "");
  return {
    ...pick(env, ["PATH", "SystemRoot", "ComSpec", "PATHEXT"]),
    ...{ HOME: join(root, "home"), USERPROFILE: join(root, "home") },
    ...{ TMPDIR: join(root, "tmp"), TEMP: join(root, "tmp"), TMP: join(root, "tmp") },
    XDG_CONFIG_HOME: join(root, "config"),
    XDG_DATA_HOME: join(root, "data"),
    XDG_STATE_HOME: join(root, "state"),
    XDG_CACHE_HOME: join(root, "cache"),
    OPENCODE_MODELS_PATH: join(root, "models.json"),
    ...{ OPENCODE_DISABLE_MODELS_FETCH: "1", OPENCODE_DISABLE_AUTOUPDATE: "1" },
    ...{ OPENCODE_DISABLE_LSP_DOWNLOAD: "1", OPENCODE_DISABLE_SHARE: "1" },
    ...(installsFor === undefined ? { npm_config_offline: "true" } : planInstalling(env, installsFor)),
  };
}

/** Installs as the user's own OpenCode would: with their registry, their cache and their way out. */
function planInstalling(env: CliContext["env"], home: string): NodeJS.ProcessEnv {
  const own = Object.keys(env).filter((name) => /^(npm_config_|(https?|no)_proxy$)/i.test(name));
  return {
    npm_config_userconfig: join(home, ".npmrc"),
    npm_config_cache: env.LOCALAPPDATA ? join(env.LOCALAPPDATA, "npm-cache") : join(home, ".npm"),
    // By default npm retries an unreachable registry for minutes.
    npm_config_fetch_retries: "1",
    npm_config_fetch_retry_mintimeout: "500",
    npm_config_fetch_retry_maxtimeout: "500",
    ...pick(env, [...own, "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"]),
  };
}

const pick = (env: CliContext["env"], names: readonly string[]): NodeJS.ProcessEnv =>
  Object.fromEntries(names.filter((name) => env[name] !== undefined).map((name) => [name, env[name]]));

export function checkHost({ binary, version }: Awaited<ReturnType<typeof findProgram>>): Finding {
  const todo = "install it, or name its folder: PATH=/its/folder:$PATH strata doctor";
  if (binary === undefined) return problem("OpenCode is not in the PATH, so the proof cannot run", todo);
  if (version === undefined)
    return problem(`${binary} does not run`, "reinstall OpenCode with install scripts allowed");
  const what = `OpenCode ${version}, ${binary}`;
  const tested = findTested(version);
  if (compareVersions(version, tested) < 0) return warning(what, `Strata needs ${tested} or later`);
  const changes = findChanges(version);
  return changes === undefined
    ? fine(what)
    : note(`${what}: ${changes}`, "the proof shows whether it works with this one");
}
