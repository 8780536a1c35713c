/** `strata serve` as a user starts it: the built command line in a process, on a port of loopback. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { repository } from "../repository.js";
import { envOf } from "./mcp-process.js";
import type { Project } from "./project.js";

export interface ServeProcess extends AsyncDisposable {
  /** For example http://127.0.0.1:40123. */
  url: string;
  /** Presses Ctrl-C; resolves with the exit code and standard error. */
  end(): Promise<{ code: number | null; err: string }>;
}

export interface ServeOptions {
  args?: readonly string[];
  /** Default: any free port. */
  port?: number;
  /** Value of STRATA_API_KEY. */
  key: string;
}

export async function startServe(
  project: Project,
  { args = [], key, port = 0 }: ServeOptions,
): Promise<ServeProcess> {
  const command = [join(repository, "dist/strata.js"), "serve", "--port", String(port), "--json", ...args];
  const child = spawn(process.execPath, command, {
    cwd: project.path,
    env: { ...envOf(project), STRATA_API_KEY: key },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let err = "";
  child.stderr.setEncoding("utf8").on("data", (more: string) => {
    err += more;
  });
  const closed = once(child, "close").then(([code]) => ({ code: code as number | null, err }));
  const started = once(createInterface({ input: child.stdout }), "line");
  const line = await Promise.race([started, closed]);
  if (!Array.isArray(line)) throw new Error(`strata serve ended with ${line.code}: ${line.err}`);
  const end = (): ReturnType<ServeProcess["end"]> => {
    child.kill("SIGINT");
    return closed;
  };
  return {
    url: (JSON.parse(String(line[0])) as { url: string }).url,
    end,
    [Symbol.asyncDispose]: async () => void (await end()),
  };
}
