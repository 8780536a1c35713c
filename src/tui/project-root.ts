/** The project of the screen half, and its log. */
import { join } from "node:path";
import type { Clock } from "../io/clock.js";
import type { Files } from "../io/files.js";
import { formatLogLine } from "../io/log.js";
import { requireProject } from "../operations/find-project.js";

/** While Strata has written nothing there, another folder may turn out to be the root. */
const UNSURE_MS = 10_000;

export interface ProjectRootOptions {
  clock: Pick<Clock, "now">;
  files: Files;
  /** Folder that the host works in. */
  folder(): string | undefined;
  home: string;
}

/** Finds the root of the project as the command line does. `undefined` if there is none. Never rejects. */
export function createProjectRoot({
  clock,
  files,
  folder,
  home,
}: ProjectRootOptions): () => Promise<string | undefined> {
  let known: { folder: string; root: string | undefined; untilMs: number } | undefined;
  return async () => {
    const place = folder();
    if (place === undefined) return undefined;
    if (known?.folder === place && clock.now() < known.untilMs) return known.root;
    const root = await requireProject({ files, folder: place, home }).catch(() => undefined);
    const written = root && (await files.stat(join(root, ".opencode", "strata")).catch(() => undefined));
    const untilMs = written ? Number.POSITIVE_INFINITY : clock.now() + UNSURE_MS;
    known = { folder: place, root, untilMs };
    return root;
  };
}

/** Writes a complaint into Strata's log, if Strata has written anything there. Never rejects. */
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
