/**
 * Makes sure that nothing outlives the tests: a small process (`keeper-process.mjs`) removes registered
 * process groups and folders when this process ends, even if it is killed. The keeper starts with the
 * first registration and exits with the last release.
 */

import { type ChildProcess, spawn } from "node:child_process";
import type { Socket } from "node:net";
import { fileURLToPath } from "node:url";

/** A process group, by the pid of its leader, or a folder. */
export type Entrusted = { group: number } | { folder: string };

const script = fileURLToPath(new URL("./keeper-process.mjs", import.meta.url));
const held = new Set<Entrusted>();
let keeper: ChildProcess | undefined;

/** Has this killed or removed when the current process ends. Call the returned function to release it. */
export function entrust(thing: Entrusted): () => void {
  keeper ??= startKeeper();
  held.add(thing);
  tell({ hold: thing });
  return () => {
    if (!held.delete(thing)) return;
    tell({ release: thing });
    if (held.size === 0) dismiss();
  };
}

function startKeeper(): ChildProcess {
  // Detached, so that Ctrl-C does not end the keeper before it has cleaned up.
  const child = spawn(process.execPath, [script], { stdio: ["pipe", "ignore", "ignore"], detached: true });
  // The keeper must not delay the exit of this process, and its own exit is no error here.
  child.unref();
  (child.stdin as Socket).unref();
  child.stdin?.on("error", () => {});
  return child;
}

function tell(message: object): void {
  keeper?.stdin?.write(`${JSON.stringify(message)}\n`);
}

function dismiss(): void {
  keeper?.stdin?.end();
  keeper = undefined;
}
