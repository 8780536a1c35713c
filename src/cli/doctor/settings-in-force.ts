/** Which settings are in force, and where they come from. */
import { isSwitchedOn, listSwitches } from "../../config/part.js";
import { isStrata } from "../../config/plugin-entries.js";
import { loadSchema } from "../../config/schema.js";
import { readSources, type Source } from "../../config/sources.js";
import type { ConfigFile } from "../../seams/host.js";
import type { CliContext } from "../command.js";
import type { Settings } from "../settings.js";
import { type ExplainedSetting, explainSettings } from "./explain.js";
import { type Finding, fine, note } from "./finding.js";

export interface SettingsInForce {
  findings: Finding[];
  /** Every setting. */
  explained: ExplainedSetting[];
}

/** The files that were read, what is set, what is off, and the defaults, one line for each part. */
export async function describeSettings(
  files: CliContext["files"],
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
    // No file sets what the master switch turned off.
    ...explained
      .filter((setting) => isOff(setting) && setting.from !== "default")
      .map(({ key, from }) => note(`${key.slice(0, -".enabled".length)} is off, from ${from}`)),
    ...formatDefaults(explained),
  ];
  return { findings, explained };
}

/** Weakest first. */
function describePlaces(configFiles: readonly ConfigFile[], found: readonly Source[]): Finding[] {
  const empty = configFiles
    .map(({ path }) => path)
    .filter((path) => !found.some(({ file }) => file === path));
  return [
    ...found.map(({ file, prefix }) =>
      fine(`settings found in ${file}, ${prefix === "" ? "plugin options" : `key ${prefix}`}`),
    ),
    fine(`no settings in ${empty.join(", ")}`),
  ];
}

/** Unset settings: `defaults for toolResults: enabled true, threshold 30000, …` */
function formatDefaults(explained: readonly ExplainedSetting[]): Finding[] {
  const parts = new Map<string, string[]>();
  for (const { key, value, from } of explained) {
    if (from !== "default") continue;
    const [part = key, ...names] = key.split(".");
    parts.set(part, [...(parts.get(part) ?? []), `${names.join(".")} ${formatValue(value)}`.trimStart()]);
  }
  return [...parts].map(([part, settings]) => fine(`defaults for ${part}: ${settings.join(", ")}`));
}

const formatValue = (value: unknown): string => JSON.stringify(value);
