/**
 * The settings in force. Wrong input never stops Strata: an invalid field is ignored, the next weaker source or the
 * default is used instead, and one sentence says so.
 */
import type { Files } from "../io/files.js";
import type { ConfigFile } from "../io/host.js";
import { type ModelClaims, readSources } from "./plugin-entries.js";
import { type Config, composeSettings, type Limits } from "./schema.js";
import { composeDefaults, type SettingsPart } from "./setting.js";

export interface ConfigReading {
  config: Config;
  limits: Limits;
  problems: string[];
  claims: ModelClaims;
}

export interface ConfigOptions {
  files: Files;
  configFiles: readonly ConfigFile[];
  /** Options of the plugin tuple, as passed by the host. */
  options?: Record<string, unknown> | undefined;
  parts: readonly SettingsPart[];
}

/** Reads and merges all sources, field by field. Never throws. */
export async function readConfig({
  configFiles,
  files,
  options,
  parts,
}: ConfigOptions): Promise<ConfigReading> {
  const { claims, found, problems, usersFile } = await readSources(files, configFiles, options);
  const settings = composeSettings(parts);
  if (found.length === 0) {
    const config = composeDefaults(settings) as unknown as Config;
    return { config, limits: { users: {}, projects: {} }, problems, claims };
  }
  const { checkSettings } = await import("./check.js");
  const checked = checkSettings(settings, found, usersFile);
  return { ...checked, problems: [...problems, ...checked.problems], claims };
}
