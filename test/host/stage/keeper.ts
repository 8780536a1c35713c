/**
 * Makes sure that nothing outlives the tests: process groups and folders are entrusted to a small process
 * (`keeper-process.mjs`) that ends them when this process ends, even where this one is killed and can
 * run no code of its own. The keeper is started for the first thing entrusted and goes with the last one
 * released.
 */

import { type ChildProcess, spawn } from "node:child_process";
import type { Socket } from "node:net";
import { fileURLToPath } from "node:url";

/** A process group, by the pid of its leader, or a folder. */
export type Entrusted = { group: number } | { folder: string };

const script = fileURLToPath(new URL("./keeper-process.mjs", import.meta.url));
const held = new Set<Entrusted>();
let keeper: ChildProcess | undefined;

/** Has this killed or removed when the current process ends. Returns a function that takes it back. */
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
  // Detached, so that the Ctrl-C which ends the tests does not end the keeper before its work.
  const child = spawn(process.execPath, [script], { stdio: ["pipe", "ignore", "ignore"], detached: true });
  // Neither may the keeper hold up the end of this process, nor its own end be an error here.
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
