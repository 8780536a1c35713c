/** Strata's log, for the screen half: each complaint once. A chunk of its own. */
import { join } from "node:path";
import type { Clock } from "../io/clock.js";
import type { Files } from "../io/files.js";
import { formatLogLine } from "../io/log.js";

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
