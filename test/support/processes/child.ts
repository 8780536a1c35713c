import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export interface Child {
  readonly pid: number;
  /** Lines it has printed so far. */
  readonly lines: readonly string[];
  /** Resolves with the first line from now on that begins so; rejects when the process ends before. */
  line(beginning: string): Promise<string>;
  /** Resolves when it has ended by itself; rejects, with what it said, when it failed. */
  ended(): Promise<void>;
  /** SIGKILL; resolves when it is gone and all that it printed is in `lines`. */
  kill(): Promise<void>;
  signal(name: NodeJS.Signals): void;
  say(line: string): void;
}

const loader = fileURLToPath(import.meta.resolve("tsx"));

/** Runs a script of this folder, or one that was bundled, in a process of its own. */
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
        void closed.then(() => reject(new Error(`${script} ended before it said "${beginning}": ${said}`)));
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
