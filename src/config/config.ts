/**
 * The settings in force. Wrong input never stops Strata: an invalid field is ignored, the next weaker source or the
 * default is used instead, and one sentence says so.
 */
import type { Files } from "../io/files.js";
import type { ConfigFile } from "../io/host.js";
import { kernelDefaults, type SettingsPart } from "./part.js";
import { type ModelClaims, readSources } from "./plugin-entries.js";
import type { Config } from "./schema.js";

export interface ConfigReading {
  config: Config;
  /** Sentences for people; empty if there are no problems. */
  problems: string[];
  /** What the files say about models. */
  claims: ModelClaims;
}

export interface ConfigOptions {
  files: Files;
  configFiles: readonly ConfigFile[];
  /** Options of the plugin tuple, as passed by the host. */
  options?: Record<string, unknown> | undefined;
  /** Settings of the layers. */
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
  if (found.length === 0) return { config: composeDefaults(parts), problems, claims };
  // Loading the schema takes tens of milliseconds, and most people set nothing.
  const [{ checkSettings }, { loadSchema }] = await Promise.all([
    import("./check.js"),
    import("./schema.js"),
  ]);
  const checked = checkSettings(await loadSchema(parts), found, usersFile);
  return { config: checked.config, problems: [...problems, ...checked.problems], claims };
}

/** Default values of all settings. */
export function composeDefaults(parts: readonly SettingsPart[]): Config {
  const groups = parts.map(({ defaults }) => defaults);
  // The type of each layer's part of `Config` is that of its schema; a test compares the two.
  return structuredClone(Object.assign({}, ...groups, kernelDefaults)) as Config;
}
