/** The settings in force in a project, read as the plugin itself reads them. */
import { readConfig } from "../config/config.js";
import type { ModelClaims } from "../config/model-claims.js";
import { isStrata, type PluginEntry, readPluginEntries } from "../config/plugin-entries.js";
import type { Config } from "../config/schema.js";
import { listConfigFiles } from "../host/config-files.js";
import type { LayerDefinition } from "../layer-definition.js";
import type { ConfigFile } from "../seams/host.js";
import type { Surroundings } from "./command.js";

export interface Settings {
  config: Config;
  /** Sentences on what is wrong in the files. */
  problems: string[];
  /** Files in which OpenCode looks for its configuration, the weakest first. */
  configFiles: ConfigFile[];
  /** What they say of models. */
  claims: ModelClaims;
  /** Every layer there is. */
  layers: readonly LayerDefinition[];
  /** Everything in the `plugin` lists. */
  plugins: PluginEntry[];
}

/** Reads every configuration file that counts in the project. */
export async function readSettings(
  {
    env,
    files,
    folder,
    home,
    loadLayers,
  }: Pick<Surroundings, "env" | "files" | "folder" | "home" | "loadLayers">,
  project: string,
): Promise<Settings> {
  const configFiles = listConfigFiles({ directory: folder, project, home, env });
  const plugins = await readPluginEntries(files, configFiles);
  // The host hands over the options of the last entry: later files overrule.
  const options = plugins.findLast(isStrata)?.options;
  const layers = await loadLayers();
  const parts = layers.map(({ settings }) => settings);
  const reading = await readConfig({ files, configFiles, options, parts });
  return { ...reading, configFiles, layers, plugins };
}
