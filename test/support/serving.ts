/** `strata serve` in this process, on files in memory and a real port. */
import { commands } from "../../src/cli/commands.js";
import { runProgram } from "../../src/cli/program.js";
import type { Files } from "../../src/io/files.js";
import { plainStyle } from "../../src/operations/command.js";
import { createFakeClock } from "./fake-clock.js";
import { PROJECT } from "./fake-host.js";

export interface Serving {
  url: string;
  key: string;
  link: string;
  projects: string[];
  ask(path: string, headers?: Record<string, string>): Promise<Response>;
  /** Presses Ctrl-C; returns the exit code and everything printed to standard error. */
  end(): Promise<{ code: number; err: string }>;
}

/** Servers that are still running. */
const open: (() => Promise<unknown>)[] = [];

/** Call after each test. */
export async function endServing(): Promise<void> {
  for (const end of open.splice(0)) await end();
}

/** Runs `strata serve --json` on these files until it is stopped. */
export async function serve(
  files: Files,
  line = "",
  env: Record<string, string> = {},
  folder = PROJECT,
): Promise<Serving> {
  const err: string[] = [];
  let press = (): void => {};
  const printed = new Promise<string>((resolve, reject) => {
    const context = {
      ...{ files, clock: createFakeClock(), folder, home: "/home/me", env, style: plainStyle },
      loadLayers: async () => (await import("../../layers/index.js")).layers,
      openFile: async () => {},
      onInterrupt(stop: () => void) {
        press = stop;
        return () => {};
      },
      say: resolve,
      warn: (text: string) => void err.push(text),
    };
    const args = ["serve", "--port", "0", "--json", ...line.split(" ").filter(Boolean)];
    const ended = runProgram(commands, args, context);
    void ended.then((code) => reject(new Error(`ended with ${code}: ${err.join("\n")}`)));
    open.push(async () => {
      press();
      return { code: await ended, err: err.join("\n") };
    });
  });
  const started = JSON.parse(await printed) as Omit<Serving, "ask" | "end">;
  const [end] = open.slice(-1) as [Serving["end"]];
  const ask: Serving["ask"] = (path, headers = { "x-api-key": started.key }) =>
    fetch(`${started.url}${path}`, { headers });
  return { ...started, ask, end };
}
