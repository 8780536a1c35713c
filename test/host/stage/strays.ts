/**
 * Ends what a host left running outside its process group: its shell tool starts commands in groups of
 * their own. They are known by the environment they inherited, which names the temporary root of the
 * project, and nobody else's does. Needs /proc; elsewhere nothing is found and nothing is done.
 */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { patiently } from "../../support/patience.js";

const goneWithinMs = patiently(2_000);

/** Kills every process whose environment has its HOME under `root` and resolves when they are gone, or after 2 s. */
export async function killStrays(root: string): Promise<void> {
  const deadline = Date.now() + goneWithinMs;
  for (let pids = findStrays(root); pids.length > 0 && Date.now() < deadline; pids = findStrays(root)) {
    for (const pid of pids) kill(pid);
    // A killed process is still there until the system has taken it down.
    await new Promise(setImmediate);
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended meanwhile.
  }
}

/** The pids of all processes whose environment has its HOME under `root`. */
export function findStrays(root: string): number[] {
  if (!existsSync("/proc/self/environ")) return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && environmentOf(name).includes(`HOME=${root}/`))
    .map(Number);
}

/** Empty for a process that has just ended or is not ours to read. */
function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8");
  } catch {
    return "";
  }
}
