/** Strata's log, for the screen half: each complaint once. A chunk of its own. */
import { join } from "node:path";
import { formatLogLine } from "../record/log.js";
import type { Clock } from "../seams/clock.js";
import type { Files } from "../seams/files.js";

/** Nothing is written where Strata has written nothing. Never rejects. */
export async function complainIn(
  project: string,
  message: string,
  { clock, files }: { clock: Clock; files: Files },
): Promise<void> {
  try {
    const folder = join(project, ".opencode", "strata");
    if ((await files.statItself(folder))?.kind !== "folder") return;
    await files.appendLine(join(folder, "strata.log"), formatLogLine(clock.now(), "warn", "screen", message));
  } catch {
    // There is nowhere else: standard output is the host's screen.
  }
}
