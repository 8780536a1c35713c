/** Which settings are in force, and which file says so. */

import { isSwitchedOn, listSwitches } from "../../config/part.js";
import { isStrata } from "../../config/plugin-entries.js";
import { loadSchema } from "../../config/schema.js";
import { readSources, type Source } from "../../config/sources.js";
import type { ConfigFile } from "../../seams/host.js";
import type { Surroundings } from "../command.js";
import type { Settings } from "../settings.js";
import { type ExplainedSetting, explainSettings } from "./explain.js";
import { type Finding, fine, note } from "./finding.js";

export interface SettingsInForce {
  findings: Finding[];
  /** Every setting with its value and where it comes from. */
  explained: ExplainedSetting[];
}

/** Where was looked, what somebody has set, what is off, and all the rest, a line for each part. */
export async function describeSettings(
  files: Surroundings["files"],
  { config, configFiles, layers, plugins }: Settings,
): Promise<SettingsInForce> {
  const { found } = await readSources(files, configFiles, plugins.findLast(isStrata)?.options);
  const parts = layers.map(({ settings }) => settings);
  const explained = explainSettings(await loadSchema(parts), config, found);
  const off = listSwitches(parts).filter((name) => !isSwitchedOn(config, name));
  const isOff = ({ key }: ExplainedSetting): boolean => off.some((name) => key === `${name}.enabled`);
  const findings = [
    ...describePlaces(configFiles, found),
    ...explained
      .filter((setting) => setting.from !== "default" && !isOff(setting))
      .map(({ key, value, from }) => note(`${key} is ${formatValue(value)}, from ${from}`)),
    ...explained
      .filter(isOff)
      .map(({ key, from }) => note(`${key.slice(0, -".enabled".length)} is off, from ${from}`)),
    ...formatDefaults(explained),
  ];
  return { findings, explained };
}

/** The weakest first. */
function describePlaces(configFiles: readonly ConfigFile[], found: readonly Source[]): Finding[] {
  const empty = configFiles
    .map(({ path }) => path)
    .filter((path) => !found.some(({ file }) => file === path));
  return [
    ...found.map(({ file, prefix }) =>
      fine(`some are set in ${file}, ${prefix === "" ? "beside the plugin's name" : `key ${prefix}`}`),
    ),
    fine(`none are set in ${empty.join(", ")}`),
  ];
}

/** What nobody has set: `toolResults: enabled true, threshold 30000, …` */
function formatDefaults(explained: readonly ExplainedSetting[]): Finding[] {
  const parts = new Map<string, string[]>();
  for (const { key, value, from } of explained) {
    if (from !== "default") continue;
    const [part = key, name = ""] = key.split(".");
    parts.set(part, [...(parts.get(part) ?? []), `${name} ${formatValue(value)}`.trimStart()]);
  }
  return [...parts].map(([part, settings]) => fine(`by default ${part}: ${settings.join(", ")}`));
}

const formatValue = (value: unknown): string => JSON.stringify(value);
