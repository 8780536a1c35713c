/**
 * The keeper: a process that outlives the test process and cleans up after it.
 *
 * It reads JSON lines, `{"hold": thing}` and `{"release": thing}`, where a thing is the pid of a process
 * group or a folder. When its input ends, for whatever reason, it kills the groups and removes the folders
 * that it still holds. Started by `keeper.ts`.
 */

import { rmSync } from "node:fs";
import { createInterface } from "node:readline";

/** @type {Map<string, {group?: number, folder?: string}>} */
const held = new Map();

createInterface({ input: process.stdin })
  .on("line", (line) => {
    const { hold, release } = JSON.parse(line);
    if (hold) held.set(JSON.stringify(hold), hold);
    else held.delete(JSON.stringify(release));
  })
  .on("close", () => {
    const things = [...held.values()];
    for (const { group } of things) if (group) killGroup(group);
    for (const { folder } of things) {
      if (folder) rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
    }
  });

/** @param {number} group */
function killGroup(group) {
  try {
    process.kill(-group, "SIGKILL");
  } catch {
    // The group has already ended.
  }
}
