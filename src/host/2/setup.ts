/**
 * The entry for OpenCode 2, which calls nothing else. The version-2 core inside 1.18.33 calls it too, beside `server`.
 * That core can register agents, commands and skills but has no hooks on messages or tools, so `server` does the work
 * and this registers nothing; one line in the project's log records the call.
 */
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { formatError } from "../../base/error.js";
import { isRecord } from "../../base/shape.js";
import { readConfig } from "../../config/config.js";
import type { SettingsPart } from "../../config/part.js";
import type { Clock } from "../../io/clock.js";
import type { Files } from "../../io/files.js";
import { formatLogLine, hasLevel } from "../../io/log.js";
import { hideFromGit, planFolders } from "../../project/folders.js";
import { listConfigFiles } from "../../project/opencode-files.js";
import { createOwnFiles } from "../../project/own-files.js";
import type { StartOptions } from "./start.js";

export interface SetupOptions {
  clock: Clock;
  files: Files;
  /** Assembles Strata with this host. */
  open: StartOptions["open"];
  /** Settings of the layers. */
  parts: readonly SettingsPart[];
  /** The host's working directory; tests pass another. */
  folder?: string;
}

/** The returned function accepts any context and never throws. In OpenCode 2 it returns the cleanup. */
export function createSetup(options: SetupOptions): (context: unknown) => Promise<Cleanup | undefined> {
  const { clock, open } = options;
  return async (context) => {
    if (!probe(context).isComplete) {
      await writeLine(options, context, "info", describe(context)).catch(() => {
        // Nowhere to report it: the log itself failed, and the host would treat an error as a broken plugin.
      });
      return undefined;
    }
    try {
      const { startInSetup } = await import("./start.js");
      return await startInSetup({ clock, context, open });
    } catch (thrown) {
      const message = `OpenCode called setup, which failed: ${formatError(thrown)}; Strata is off`;
      await writeLine(options, context, "error", message).catch(() => {});
      return undefined;
    }
  };
}

export type Cleanup = () => Promise<void>;

/** Writes a line into the project's log without opening the project. */
async function writeLine(
  { clock, files, folder = process.cwd(), parts }: SetupOptions,
  context: unknown,
  level: "error" | "info",
  message: string,
): Promise<void> {
  const { directory = folder, options } = probe(context);
  const project = await findProject(files, directory);
  if (project === undefined) return;
  const { env } = process;
  const home = env.HOME || homedir();
  const configFiles = listConfigFiles({ directory, project, home, env });
  const { config } = await readConfig({ files, configFiles, options, parts });
  if (!hasLevel(config.log.level, level)) return;
  const { strata, log } = planFolders(project);
  const own = createOwnFiles({ files, clock, listLinked: async () => config.linkedFolders, report() {} });
  await hideFromGit(own, strata);
  await own.appendLine(log, formatLogLine(clock.now(), level, "setup", message));
}

function describe(context: unknown): string {
  const { hasHooks, offered } = probe(context);
  const names = offered.join(", ") || "nothing";
  const why = hasHooks
    ? "it does not say where it is loaded, so Strata is off"
    : "nothing to register there, server does the work";
  return `called by OpenCode's version-2 core, which offers ${names}; ${why}`;
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
  /** It has hooks on requests; the core inside OpenCode 1 has none. */
  hasHooks: boolean;
  /** OpenCode 2: it has such hooks, and says where it is loaded. */
  isComplete: boolean;
  /** Working directory of the location, which can differ from where the host was started. */
  directory?: string;
  options?: Record<string, unknown>;
}

function probe(context: unknown): Probed {
  if (!isRecord(context)) return { offered: [], hasHooks: false, isComplete: false };
  const entries = Object.entries(context);
  const offered = entries.filter(([name, value]) => name !== "options" && typeof value === "object" && value);
  const { location, options, session } = context;
  const directory = isRecord(location) ? location.directory : undefined;
  const hasHooks = isRecord(session) && typeof session.hook === "function";
  return {
    offered: offered.map(([name]) => name),
    hasHooks,
    isComplete: hasHooks && typeof directory === "string",
    ...(typeof directory === "string" && { directory }),
    ...(isRecord(options) && { options }),
  };
}
