/**
 * The entry for OpenCode 2. The version-2 core inside 1.18.33 calls it too, beside `server`. That core can register
 * agents, commands and skills but has no hooks on messages or tools, so `server` does the work and this registers
 * nothing. OpenCode 2 itself calls nothing else, and there is no port to it yet. One line in the project's log records
 * the call; `screen.ts` shows a toast.
 */
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { readConfig } from "../config/config.js";
import type { SettingsPart } from "../config/part.js";
import { hideFromGit, planFolders } from "../folders.js";
import { createOwnFiles } from "../own/own-files.js";
import { formatLogLine, hasLevel } from "../record/log.js";
import { isRecord } from "../records.js";
import type { Clock } from "../seams/clock.js";
import type { Files } from "../seams/files.js";
import { listConfigFiles } from "./config-files.js";
import { NO_PORT } from "./screen.js";

export interface SetupOptions {
  clock: Clock;
  files: Files;
  /** Settings of the layers. */
  parts: readonly SettingsPart[];
  /** The host's working directory; tests pass another. */
  folder?: string;
}

/** The returned function accepts any context and never throws. */
export function createSetup({
  clock,
  files,
  folder = process.cwd(),
  parts,
}: SetupOptions): (context: unknown) => Promise<void> {
  return async (context) => {
    try {
      const { directory = folder, options, ...probed } = probe(context);
      const project = await findProject(files, directory);
      if (project === undefined) return;
      const { env } = process;
      const home = env.HOME || homedir();
      const configFiles = listConfigFiles({ directory, project, home, env });
      const { config } = await readConfig({ files, configFiles, options, parts });
      const { level, message } = describe(probed);
      if (!hasLevel(config.log.level, level)) return;
      const { strata, log } = planFolders(project);
      const own = createOwnFiles({ files, clock, listLinked: async () => config.linkedFolders, report() {} });
      await hideFromGit(own, strata);
      await own.appendLine(log, formatLogLine(clock.now(), level, "setup", message));
    } catch {
      // Nowhere to report it: the log itself failed, and the host would treat an error as a broken plugin.
    }
  };
}

function describe({ offered, version }: Pick<Probed, "offered" | "version">): {
  level: "info" | "warn";
  message: string;
} {
  if (version !== undefined) return { level: "warn", message: `called by OpenCode ${version}: ${NO_PORT}` };
  const names = offered.join(", ") || "nothing";
  const message = `called by OpenCode's version-2 core, which offers ${names}; nothing to register there yet, server does the work`;
  return { level: "info", message };
}

/** Root of the repository, where `server` writes; without a repository, `folder` if it has an `.opencode`. */
async function findProject(files: Files, folder: string): Promise<string | undefined> {
  for (let place = folder; ; place = dirname(place)) {
    if (await files.stat(join(place, ".git"))) return place;
    if (dirname(place) === place) break;
  }
  return (await files.stat(join(folder, ".opencode"))) ? folder : undefined;
}

interface Probed {
  /** Names of the objects in the context, which plugins register with. */
  offered: string[];
  /** Version of OpenCode 2; absent if its core runs inside OpenCode 1. */
  version?: string;
  /** Working directory of the location, which can differ from where the host was started. */
  directory?: string;
  options?: Record<string, unknown>;
}

function probe(context: unknown): Probed {
  if (!isRecord(context)) return { offered: [] };
  const entries = Object.entries(context);
  const offered = entries.filter(([name, value]) => name !== "options" && typeof value === "object" && value);
  const { app, location, options, session } = context;
  const directory = isRecord(location) ? location.directory : undefined;
  const version = isRecord(app) && typeof app.version === "string" ? app.version : "2";
  return {
    offered: offered.map(([name]) => name),
    // The core inside OpenCode 1 has no session hooks.
    ...(isRecord(session) && typeof session.hook === "function" && { version }),
    ...(typeof directory === "string" && { directory }),
    ...(isRecord(options) && { options }),
  };
}
