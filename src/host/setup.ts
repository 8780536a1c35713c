/**
 * The entry of OpenCode 2. The version-2 core inside 1.18.33 calls it too, beside `server`: what it is given there can
 * register agents, commands and skills, and has no hook on messages or tools, so `server` carries the work and nothing
 * is registered here. OpenCode 2 itself calls nothing else, and there is no port to it yet. What it found is one line
 * in the log of the project; `screen.ts` says it on the screen.
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
  /** What the layers add to the settings. */
  parts: readonly SettingsPart[];
  /** The folder that the host was started in; another one in tests only. */
  folder?: string;
}

/** Takes whatever it is given and never throws. */
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
      // Nobody could be told: the host would take an error for a broken plugin, and the log is what has failed.
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
  /** Of OpenCode 2; absent where its core runs inside OpenCode 1. */
  version?: string;
  /** Where it works, which need not be where it was started. */
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
    // The core inside OpenCode 1 has no sessions to hook into.
    ...(isRecord(session) && typeof session.hook === "function" && { version }),
    ...(typeof directory === "string" && { directory }),
    ...(isRecord(options) && { options }),
  };
}
