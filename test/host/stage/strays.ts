/**
 * Ends what a host left running outside its process group: its shell tool starts commands in groups of
 * their own. They are known by the environment they inherited, which names the temporary root of the
 * project, and nobody else's does. Needs /proc; elsewhere nothing is found and nothing is done.
 */

import { existsSync, readdirSync, readFileSync } from "node:fs";

/** Kills every process whose environment has its HOME under `root`. Returns their pids. */
export function killStrays(root: string): number[] {
  const pids = findStrays(root);
  for (const pid of pids) process.kill(pid, "SIGKILL");
  return pids;
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
