/**
 * The settings in force. Wrong input never stops anything: a field that is not allowed is passed over, the next weaker
 * source or the default takes its place, and one sentence says so.
 */
import type { Files } from "../seams/files.js";
import type { ConfigFile } from "../seams/host.js";
import { defaults } from "./defaults.js";
import type { ModelClaims } from "./model-claims.js";
import type { Config } from "./schema.js";
import { readSources } from "./sources.js";

export interface ConfigReading {
  config: Config;
  /** One sentence each, for people; empty when all is well. */
  problems: string[];
  /** What the files say of models. */
  claims: ModelClaims;
}

/** Reads and merges all sources, field by field. Never throws. */
export async function readConfig(
  files: Files,
  configFiles: readonly ConfigFile[],
  options?: Record<string, unknown>,
): Promise<ConfigReading> {
  const { claims, found, problems, usersFile } = await readSources(files, configFiles, options);
  if (found.length === 0) return { config: structuredClone(defaults), problems, claims };
  // The schema takes tens of milliseconds to load; most people set nothing.
  const { checkSettings } = await import("./check.js");
  const checked = checkSettings(found, usersFile);
  return { config: checked.config, problems: [...problems, ...checked.problems], claims };
}
