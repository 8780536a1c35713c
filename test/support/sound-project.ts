/** A project with intact memory. */
import { PROJECT } from "./fake-host.js";
import { createMemoryFiles, type MemoryFiles } from "./memory-files.js";
import { runStrata } from "./shell.js";

export const FOLDER = `${PROJECT}/.opencode/memory`;
export const STATE = `${PROJECT}/.opencode/strata/state/memory/internal`;
export const SECRET = `ghp_${"aB3dE5gH7j".repeat(4)}`.slice(0, 40);

/** A repository in which Strata has never run, with these files, and the time at which they are written. */
export const openRepository = (
  more: Readonly<Record<string, string | Uint8Array>> = {},
  now?: () => number,
): MemoryFiles => createMemoryFiles({ [`${PROJECT}/.git/HEAD`]: "x", ...more }, now);

/** An intact project with a few memories of each kind. */
export async function openSound(): Promise<MemoryFiles> {
  const files = openRepository();
  await runStrata(files, "remember --type decision the server listens on port 8080");
  await runStrata(files, "remember --type idea a second idea");
  await runStrata(files, "remember --type idea an idea put aside");
  await runStrata(files, "memory archive aside");
  await runStrata(files, "remember --private --type preference short answers");
  return files;
}
