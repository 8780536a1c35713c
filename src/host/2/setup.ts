/**
 * The entry for OpenCode 2, which calls nothing else. The version-2 core inside 1.18.33 calls it too, beside `server`:
 * that core has no hooks on requests, so `server` does the work and this registers nothing.
 */
import { formatError } from "../../base/error.js";
import { isRecord } from "../../base/shape.js";
import { readConfig } from "../../config/config.js";
import type { SettingsPart } from "../../config/setting.js";
import type { Clock } from "../../io/clock.js";
import type { Files } from "../../io/files.js";
import { formatLogLine, hasLevel } from "../../io/log.js";
import { hideFromGit, planFolders } from "../../project/folders.js";
import { createOwnFiles } from "../../project/own-files.js";
import { openMachine } from "../environment.js";
import type { SetupContext } from "./contract.js";
import type { StartOptions } from "./start.js";

interface SetupOptions {
  clock: Clock;
  files: Files;
  /** Assembles Strata with this host. */
  open: StartOptions["open"];
  parts: readonly SettingsPart[];
}

/** The returned function accepts any context and never throws. In OpenCode 2 it returns the cleanup. */
export function createSetup(options: SetupOptions) {
  const { clock, open } = options;
  return async (context: unknown): Promise<(() => Promise<void>) | undefined> => {
    if (!isSecond(context)) return undefined;
    try {
      const { startInSetup } = await import("./start.js");
      return await startInSetup({ clock, context, open });
    } catch (thrown) {
      // A log that cannot be written is reported nowhere: the host would treat an error as a broken plugin.
      await writeFailure(options, context, thrown).catch(() => {});
      return undefined;
    }
  };
}

function isSecond(context: unknown): context is SetupContext {
  if (!isRecord(context)) return false;
  const { location, session } = context;
  const hasHooks = isRecord(session) && typeof session.hook === "function";
  return hasHooks && isRecord(location) && typeof location.directory === "string";
}

/** Writes a line into the project's log without opening the project. */
async function writeFailure({ clock, files, parts }: SetupOptions, context: SetupContext, thrown: unknown) {
  const { readPlace } = await import("./host.js");
  const place = readPlace(context);
  const { configFiles } = openMachine(place);
  const { config } = await readConfig({ files, configFiles, options: context.options, parts });
  if (!hasLevel(config.log.level, "error")) return;
  const { strata, log } = planFolders(place.project);
  const own = createOwnFiles({ files, clock, listLinked: async () => config.linkedFolders, report() {} });
  await hideFromGit(own, strata);
  const message = `OpenCode called setup, which failed: ${formatError(thrown)}; Strata is off`;
  await own.appendLine(log, formatLogLine(clock.now(), "error", "setup", message));
}
