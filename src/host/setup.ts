/**
 * The entry of OpenCode 2, which the version-2 core inside 1.18.33 calls beside `server`. What it is given there can
 * register agents, commands and skills, and has no hook on messages or tools, so `server` carries the work and nothing
 * is registered here. What it found is one line in the log of the project.
 */
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { readConfig } from "../config/config.js";
import { hideFromGit, planFolders } from "../folders.js";
import { createOwnFiles } from "../own-files.js";
import { formatLogLine, hasLevel } from "../record/log.js";
import { isRecord } from "../records.js";
import type { Clock } from "../seams/clock.js";
import type { Files } from "../seams/files.js";
import { listConfigFiles } from "./config-files.js";

export interface SetupOptions {
  clock: Clock;
  files: Files;
  /** The folder that the host was started in; another one in tests only. */
  folder?: string;
}

/** Takes whatever it is given and never throws. */
export function createSetup({
  clock,
  files,
  folder = process.cwd(),
}: SetupOptions): (context: unknown) => Promise<void> {
  return async (context) => {
    try {
      const { offered, options } = probe(context);
      const project = await findProject(files, folder);
      if (project === undefined) return;
      const { env } = process;
      const home = env.HOME || homedir();
      const configFiles = listConfigFiles({ directory: folder, project, home, env });
      const { config } = await readConfig(files, configFiles, options);
      if (!hasLevel(config.log.level, "info")) return;
      const message = `called by OpenCode's version-2 core, which offers ${offered.join(", ") || "nothing"}; nothing to register there yet, server does the work`;
      const { strata, log } = planFolders(project);
      const own = createOwnFiles({ files, clock, listLinked: async () => config.linkedFolders, report() {} });
      await hideFromGit(own, strata);
      await own.appendLine(log, formatLogLine(clock.now(), "info", "setup", message));
    } catch {
      // Nobody could be told: the host would take an error for a broken plugin, and the log is what has failed.
    }
  };
}

/** The root of the repository, which is where `server` writes; without one, a folder that has an `.opencode`. */
async function findProject(files: Files, folder: string): Promise<string | undefined> {
  for (let place = folder; ; place = dirname(place)) {
    if (await files.stat(join(place, ".git"))) return place;
    if (dirname(place) === place) break;
  }
  return (await files.stat(join(folder, ".opencode"))) ? folder : undefined;
}

interface Probed {
  /** Names of what can be registered with. */
  offered: string[];
  options?: Record<string, unknown>;
}

function probe(context: unknown): Probed {
  if (!isRecord(context)) return { offered: [] };
  const entries = Object.entries(context);
  const offered = entries.filter(([name, value]) => name !== "options" && typeof value === "object" && value);
  const { options } = context;
  return {
    offered: offered.map(([name]) => name),
    ...(isRecord(options) && { options }),
  };
}
