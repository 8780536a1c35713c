import { type ChildProcess, spawn } from "node:child_process";
import { devNull } from "node:os";
import { type Clock, systemClock } from "../io/clock.js";
import type { RemoteGit, RemoteGitAnswer, RemoteGitOptions } from "../io/host.js";
import { redactSecrets, withoutCredentials } from "../text/secrets/secrets.js";

type Environment = Readonly<Record<string, string | undefined>>;

const MOST_OUTPUT_BYTES = 1_000_000_000;
const MOST_WORDS = 600;

/** Runs no code of a repository, never prompts, and starts nothing in the background. */
const SETTINGS = [
  `core.hooksPath=${devNull}`,
  "core.fsmonitor=false",
  "core.askPass=",
  "credential.interactive=false",
  "fetch.fsckObjects=true",
  "gc.auto=0",
  "http.lowSpeedLimit=1000",
  "http.lowSpeedTime=20",
  "maintenance.auto=false",
  "push.gpgSign=false",
  "push.recurseSubmodules=no",
  "submodule.recurse=false",
].flatMap((setting) => ["-c", setting]);

/** Git's variables on how to reach a host. All others are dropped, since they could point git at another repository. */
const KEPT =
  /^GIT_(SSH|SSH_COMMAND|SSH_VARIANT|SSL_\w+|PROXY_SSL_\w+|EXEC_PATH|CONFIG_(GLOBAL|SYSTEM|NOSYSTEM))$/;

/** Runs the user's git from PATH. */
export function createRemoteGit(env: Environment, clock: Clock = systemClock): RemoteGit {
  let ssh: Promise<string | undefined> | undefined;
  const own = planEnvironment(env);

  return {
    async run(args, options) {
      ssh ??= findSsh(own, options.folder);
      const command = await ssh;
      const asking = command === undefined ? {} : { GIT_SSH_COMMAND: command };
      return runGit(args, { ...options, env: { ...own, ...asking }, clock });
    },
  };

  /**
   * The user's ssh command, with options against prompts if it is OpenSSH. `undefined` if git finds the user's program
   * itself: `GIT_SSH` is a path, not a command, and may contain spaces.
   */
  async function findSsh(base: Environment, folder: string): Promise<string | undefined> {
    const options = { folder, timeoutMs: 5_000, env: base, clock };
    const asked = base.GIT_SSH_COMMAND ? undefined : await runGit(["config", "core.sshCommand"], options);
    const configured = asked?.kind === "done" ? new TextDecoder().decode(asked.output).trim() : "";
    if (base.GIT_SSH && !base.GIT_SSH_COMMAND && configured === "") return undefined;
    const command = base.GIT_SSH_COMMAND ?? (configured || "ssh");
    return /(^|[\\/\s])ssh(\.exe)?(\s|$)/.test(command)
      ? `${command} -o BatchMode=yes -o ConnectTimeout=10`
      : command;
  }
}

function planEnvironment(env: Environment): Environment {
  const kept = Object.entries(env).filter(
    ([name]) => (!name.startsWith("GIT_") || KEPT.test(name)) && name !== "DISPLAY" && name !== "SSH_ASKPASS",
  );
  return {
    ...Object.fromEntries(kept),
    LC_ALL: "C",
    GIT_TERMINAL_PROMPT: "0",
    GIT_ALLOW_PROTOCOL: "file:git:http:https:ssh",
    GIT_NO_REPLACE_OBJECTS: "1",
    GCM_INTERACTIVE: "never",
    SSH_ASKPASS_REQUIRE: "never",
    // Windows would look for programs in the current folder first.
    NoDefaultCurrentDirectoryInExePath: "1",
  };
}

function runGit(
  args: readonly string[],
  { clock, env, folder, input, timeoutMs }: RemoteGitOptions & { env: Environment; clock: Clock },
): Promise<RemoteGitAnswer> {
  return new Promise((resolve) => {
    const [output, words]: [Uint8Array[], Uint8Array[]] = [[], []];
    const command = args.find((one) => !one.startsWith("-"));
    let bytes = 0;
    // A separate process group, so that ssh and other processes that git starts are killed with it.
    const child = spawn("git", [...SETTINGS, ...args], {
      ...{ cwd: folder, env: env as NodeJS.ProcessEnv, windowsHide: true },
      detached: process.platform !== "win32",
      stdio: ["pipe", "pipe", "pipe"],
    });
    const stop = clock.after(timeoutMs, () => {
      end(child);
      finish({ kind: "failed", why: `git ${command} took more than ${Math.round(timeoutMs / 1000)} s` });
    });
    const finish = (answer: RemoteGitAnswer): void => {
      stop();
      resolve(answer);
    };
    child.stdout.on("data", (piece: Uint8Array) => {
      bytes += piece.byteLength;
      if (bytes <= MOST_OUTPUT_BYTES) output.push(piece);
      else end(child);
    });
    child.stderr.on("data", (piece: Uint8Array) => {
      if (words.length < 100) words.push(piece);
    });
    child.on("error", ({ message }) => finish({ kind: "failed", why: `cannot run git: ${message}` }));
    child.on("close", (code) => {
      const said = cleanWords(Buffer.concat(words).toString("utf8"));
      if (code === 0 && bytes <= MOST_OUTPUT_BYTES) finish({ kind: "done", output: Buffer.concat(output) });
      else finish({ kind: "failed", why: said || `git ${command} ended with ${code}` });
    });
    // git may exit before reading all of its input.
    child.stdin.on("error", () => {});
    child.stdin.end(input);
  });
}

function end(child: ChildProcess): void {
  try {
    if (child.pid !== undefined && process.platform !== "win32") process.kill(-child.pid, "SIGKILL");
    else child.kill();
  } catch {
    // It has already ended.
  }
}

/** On one line, without credentials in URLs. */
function cleanWords(text: string): string {
  const plain = withoutCredentials(text).replace(/\s+/g, " ").trim();
  return redactSecrets(plain.slice(0, MOST_WORDS)).text;
}
