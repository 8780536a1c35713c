/**
 * Ends processes that a host left running outside its process group, since its shell tool starts commands in their own
 * groups. Only the environment that they inherit tells whose they are. Needs /proc; does nothing elsewhere.
 */
import { randomUUID } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { patiently } from "../../support/patience.js";

/** An environment variable that only one host and its children have. */
export type Mark = Record<"STRATA_STAGE_HOST", string>;

export const createMark = (): Mark => ({ STRATA_STAGE_HOST: randomUUID() });

const goneWithinMs = patiently(2_000);

/** Kills every process with this mark; resolves when they have ended, or after 2 s. */
export async function killStrays(mark: Mark): Promise<void> {
  const deadline = Date.now() + goneWithinMs;
  for (let pids = findStrays(mark); pids.length > 0 && Date.now() < deadline; pids = findStrays(mark)) {
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

function findStrays(mark: Mark): number[] {
  if (!existsSync("/proc/self/environ")) return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && environmentOf(name).includes(mark.STRATA_STAGE_HOST))
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
