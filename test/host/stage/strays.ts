/**
 * Ends processes that a host left running outside its process group, since its shell tool starts commands
 * in their own groups. Only their inherited environment names the project's temporary root. Needs /proc;
 * does nothing elsewhere.
 */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { patiently } from "../../support/patience.js";

const goneWithinMs = patiently(2_000);

/** Kills every process with its HOME under `root`; resolves when they have ended, or after 2 s. */
export async function killStrays(root: string): Promise<void> {
  const deadline = Date.now() + goneWithinMs;
  for (let pids = findStrays(root); pids.length > 0 && Date.now() < deadline; pids = findStrays(root)) {
    for (const pid of pids) kill(pid);
    // A killed process remains until the system has ended it.
    await new Promise(setImmediate);
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended in the meantime.
  }
}

/** The pids of all processes with their HOME under `root`. */
export function findStrays(root: string): number[] {
  if (!existsSync("/proc/self/environ")) return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && environmentOf(name).includes(`HOME=${root}/`))
    .map(Number);
}

/** Empty if the process has just ended or is not readable. */
function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8");
  } catch {
    return "";
  }
}
