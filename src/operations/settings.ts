/** The settings in force in a project, read as the plugin itself reads them. */
import { readConfig } from "../config/config.js";
import { isStrata, type ModelClaims, type PluginEntry, readPluginEntries } from "../config/plugin-entries.js";
import type { Config } from "../config/schema.js";
import type { ConfigFile } from "../io/host.js";
import type { LayerDefinition } from "../kernel/layer-context.js";
import { listConfigFiles } from "../project/opencode-files.js";
import type { CliContext } from "./command.js";

export interface Settings {
  config: Config;
  /** Sentences on what is wrong in the files. */
  problems: string[];
  /** Files that OpenCode reads its configuration from, weakest first. */
  configFiles: ConfigFile[];
  /** The models they choose. */
  claims: ModelClaims;
  /** Every layer there is. */
  layers: readonly LayerDefinition[];
  /** All entries of the `plugin` lists. */
  plugins: PluginEntry[];
}

export async function readSettings(
  {
    env,
    files,
    folder,
    home,
    loadLayers,
  }: Pick<CliContext, "env" | "files" | "folder" | "home" | "loadLayers">,
  root: string,
): Promise<Settings> {
  const configFiles = listConfigFiles({ directory: folder, project: root, home, env });
  const plugins = await readPluginEntries(files, configFiles);
  // As in OpenCode, the options of the last entry count.
  const options = plugins.findLast(isStrata)?.options;
  const layers = await loadLayers();
  const parts = layers.map(({ settings }) => settings);
  const reading = await readConfig({ files, configFiles, options, parts });
  return { ...reading, configFiles, layers, plugins };
}
