/** Which settings are in force, and where they come from. */
import { formatError } from "../../base/error.js";
import { isStrata, readSources, type Source } from "../../config/plugin-entries.js";
import { type Config, composeSettings } from "../../config/schema.js";
import { listFields, readPath, type SettingsGroup } from "../../config/setting.js";
import type { ConfigFile } from "../../io/host.js";
import { formatPrefix } from "../../memory/memory.js";
import { listSetAside } from "../../memory/store/journal.js";
import { createOwnership } from "../../memory/store/ownership.js";
import type { CliContext } from "../../operations/command.js";
import { type Finding, fine, note, warning } from "../../operations/doctor/machine.js";
import { listPlaces, type ReadCollection, readCollections } from "../../operations/memory-files.js";
import { openTrust } from "../../operations/open-memories.js";
import type { Project, Settings } from "../../operations/project.js";

export interface SettingsInForce {
  findings: Finding[];
  /** Every setting. */
  explained: ExplainedSetting[];
}

/** The files that were read, what is set, and the defaults, one line for each part. */
export async function describeSettings(
  files: CliContext["files"],
  { config, configFiles, layers, plugins }: Settings,
): Promise<SettingsInForce> {
  const { found } = await readSources(files, configFiles, plugins.findLast(isStrata)?.options);
  const explained = explainSettings(composeSettings(layers.map(({ settings }) => settings)), config, found);
  const findings = [
    ...describePlaces(configFiles, found),
    ...explained
      .filter(({ from }) => from !== "default")
      .map(({ key, value, from }) => note(`${key} is ${formatValue(value)}, from ${from}`)),
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

/** A setting's value, and where it comes from. */
export interface ExplainedSetting {
  /** `toolResults.threshold` */
  key: string;
  value: unknown;
  /** A file, or "default". */
  from: string;
}

/** Every setting with the strongest valid source that gives it its value. */
export function explainSettings(
  settings: SettingsGroup,
  config: Config,
  sources: readonly Source[],
): ExplainedSetting[] {
  const given = listFields(settings).flatMap((field) => {
    const value = readPath(config, field.path);
    return value === undefined ? [] : [{ ...field, value }];
  });
  return given.map(({ owner, path, usual, value }) => {
    const having = sources.filter((source) => isSame(readPath(source.settings, path), value));
    const users = having.findLast(({ origin }) => origin === "user");
    // For a setting reserved to the user, a project counts only if it lowered the value.
    const isProjects = owner === "anyone" || (!users && !isSame(usual, value));
    return { key: path.join("."), value, from: (isProjects ? having.at(-1) : users)?.file ?? "default" };
  });
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/* Memories and changes of memory that are not used: refused ones, and those that wait for the user to accept them. */

const REFUSED = "was refused as a pending change of memory, and nothing of it was done";
const FIND_OUT = "find out where it comes from, perhaps the repository, and delete it";

export async function checkSetAside(project: Project): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { state } of listPlaces(project))
    for (const path of await listSetAside(project.cli.files, state).catch(() => []))
      findings.push(warning(`${path} ${REFUSED}`, FIND_OUT));
  return findings;
}

/** When memories were edited does not matter here. */
const NO_LEDGER = { known: () => undefined, sizes: () => new Map<string, number>() };

/** Ids of the memories that are not the user's. Writes nothing, not even that they were seen. */
export async function findForeign(project: Project, read?: readonly ReadCollection[]): Promise<string[]> {
  const { files } = project.cli;
  const trust = await openTrust(project);
  const ids: string[] = [];
  for (const { looked, place } of read ?? (await readCollections(project))) {
    const prefix = formatPrefix(place);
    const ownership = createOwnership({ files, folder: place.folder, prefix, trust, ledger: NO_LEDGER });
    const entries = { all: () => looked };
    await ownership.prepareLook();
    await ownership.classify(entries);
    ids.push(...ownership.foreign(entries).keys());
  }
  return ids.sort();
}

const MOST_NAMED = 3;

/** Memories that do not count as the user's words until the user accepts them. */
export async function checkForeign(project: Project): Promise<Finding> {
  const ids = await findForeign(project).catch(formatError);
  if (typeof ids === "string") return warning(`the memories cannot be read: ${ids}`);
  if (ids.length === 0) return fine("no memories wait for your acceptance");
  const came = ids.length === 1 ? "1 memory came" : `${ids.length} memories came`;
  const more = ids.length > MOST_NAMED ? ` and ${ids.length - MOST_NAMED} more` : "";
  return note(
    `${came} with the repository and will not be shown as your words: ${ids.slice(0, MOST_NAMED).join(", ")}${more}`,
    "strata trust lists them, strata trust --yes accepts them",
  );
}
