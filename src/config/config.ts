/**
 * The settings in force. Wrong input never stops Strata: an invalid field is ignored, the next weaker source or the
 * default is used instead, and one sentence says so.
 */
import type { Files } from "../io/files.js";
import type { ConfigFile } from "../io/host.js";
import { readSources } from "./plugin-entries.js";
import { type Config, composeSettings, type Limits } from "./schema.js";
import { composeDefaults, type SettingsPart } from "./setting.js";

interface ConfigOptions {
  files: Files;
  configFiles: readonly ConfigFile[];
  /** Options of the plugin tuple, as passed by the host. */
  options?: Record<string, unknown> | undefined;
  parts: readonly SettingsPart[];
}

export type ConfigReading = Awaited<ReturnType<typeof readConfig>>;

/** Reads and merges all sources, field by field. Never throws. */
export async function readConfig({ configFiles, files, options, parts }: ConfigOptions) {
  const { claims, found, problems, usersFile } = await readSources(files, configFiles, options);
  const settings = composeSettings(parts);
  if (found.length === 0) {
    const limits: Limits = { users: {}, projects: {} };
    return { config: composeDefaults(settings) as unknown as Config, limits, problems, claims };
  }
  const { checkSettings } = await import("./check.js");
  const checked = checkSettings(settings, found, usersFile);
  return { ...checked, problems: [...problems, ...checked.problems], claims };
}
