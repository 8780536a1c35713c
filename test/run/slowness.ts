import { execFile } from "node:child_process";
import { availableParallelism } from "node:os";
import { promisify } from "node:util";

/** Takes 250 ms on an idle 2.6 GHz core, including the start of node. */
const WORK =
  "let x = 1; for (let n = 0; n < 1e8; n++) x = (Math.imul(x, 31) + n) | 0; process.exitCode = x & 0;";
const QUIET_MS = 250;
const MOST = 8;

/**
 * How many times slower this machine is than an idle one, from 1 to 8. Runs one process per core, as the tests do, so
 * that other load counts too.
 */
export async function measureSlowness(): Promise<number> {
  const begunMs = performance.now();
  const run = promisify(execFile);
  await Promise.all(
    Array.from({ length: availableParallelism() }, () => run(process.execPath, ["-e", WORK])),
  );
  const slowness = (performance.now() - begunMs) / QUIET_MS;
  return Math.min(MOST, Math.max(1, slowness));
}
