import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export interface Child {
  readonly pid: number;
  /** Lines printed so far. */
  readonly lines: readonly string[];
  /** Resolves with the next line that has this beginning; rejects if the process ends first. */
  line(beginning: string): Promise<string>;
  /** Resolves when it exits by itself; rejects with its output if it failed. */
  ended(): Promise<void>;
  /** Sends SIGKILL; resolves when it has exited and all its output is in `lines`. */
  kill(): Promise<void>;
  signal(name: NodeJS.Signals): void;
  say(line: string): void;
}

const loader = fileURLToPath(import.meta.resolve("tsx"));

/** Runs a script of this folder, or a bundled one, in its own process. */
export function startChild(script: string, ...args: string[]): Child {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const runsAsItIs = script.endsWith(".mjs") ? [] : ["--import", loader];
  const child: ChildProcess = spawn(process.execPath, [...runsAsItIs, path, ...args], {
    stdio: ["pipe", "pipe", "pipe"],
  });
  const lines: string[] = [];
  const waiting = new Set<(line: string) => void>();
  const closed = once(child, "close");
  let said = "";
  child.stderr?.on("data", (text) => {
    said += String(text);
  });
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on("line", (line) => {
    lines.push(line);
    for (const tell of waiting) tell(line);
  });

  return {
    pid: child.pid ?? 0,
    lines,
    line(beginning) {
      return new Promise((resolve, reject) => {
        const tell = (line: string): void => {
          if (!line.startsWith(beginning)) return;
          waiting.delete(tell);
          resolve(line);
        };
        waiting.add(tell);
        void closed.then(() =>
          reject(new Error(`${script} ended before it printed "${beginning}": ${said}`)),
        );
      });
    },
    async ended() {
      const [code, signal] = await closed;
      if (code !== 0) throw new Error(`${script} ended with ${code ?? signal}: ${said}`);
    },
    async kill() {
      child.kill("SIGKILL");
      await closed;
    },
    signal: (name) => void child.kill(name),
    say: (line) => void child.stdin?.write(`${line}\n`),
  };
}
