/** Checks the configuration files: this plugin once, no conflicting plugin, valid settings; and says which are in force. */
import { basename, dirname, join } from "node:path";
import { isRecord } from "../../base/shape.js";
import {
  findName,
  isSame,
  isStrata,
  PACKAGE,
  type ParsedFile,
  type PluginEntry,
  readConfigFiles,
  readSources,
  resolveSpec,
  type Source,
} from "../../config/plugin-entries.js";
import { type Config, composeSettings, type Limits } from "../../config/schema.js";
import { listFields, readPath, type SettingsGroup } from "../../config/setting.js";
import { readText } from "../../io/files.js";
import type { ConfigFile } from "../../io/host.js";
import { planChoice } from "../../models/cost.js";
import type { CliContext } from "../command.js";
import type { Project, Settings } from "../project.js";
import { type Configured, findConfigured, quoteEntry } from "./installed.js";
import { type Finding, fine, note, problem, warning } from "./machine.js";

/** `isSecond`: about OpenCode 2. `configured`: the entry that makes OpenCode load this plugin, if there is one. */
export async function checkConfiguration(
  project: Project,
  isSecond: boolean,
): Promise<{ findings: Finding[]; configured: Configured | undefined }> {
  const { cli, globalFolder, root } = project;
  const { files } = cli;
  const settings = await project.settings();
  const local = await readLocalPlugins(files, [join(root, ".opencode"), globalFolder], isSecond);
  const { parsed, unreadable } = await readConfigFiles(files, settings.configFiles);
  const removal = isSecond ? settings.plugins.findLast(isStrataOrRemoval) : undefined;
  const isRemoved = removal !== undefined && !isStrata(removal);
  const configured = isRemoved ? undefined : findConfigured(settings.plugins, local);
  // A file that cannot be read may be the one that names the plugin.
  const isUnknown = configured === undefined && unreadable.length > 0;
  const findings = [
    // Causes before their effects.
    ...settings.problems.map((sentence) => problem(sentence)),
    ...(isUnknown
      ? [problem(formatUnknown(unreadable), CORRECT_FILE)]
      : checkLoading(settings.plugins, local, isRemoved ? removal : undefined)),
    ...parsed.flatMap(checkOptions),
    ...checkModels(settings),
    ...settings.plugins.flatMap(checkConflict),
    ...parsed.flatMap(checkHostSettings),
  ];
  return { configured, findings };
}

const CORRECT_FILE = "correct the file, then run strata doctor again";

const formatUnknown = (unreadable: readonly string[]): string =>
  `cannot tell whether ${PACKAGE} is configured, because ${unreadable.join(" and ")} cannot be read`;

/** OpenCode 2 removes a plugin by such an entry; one before an entry of the plugin has no effect. */
const isStrataOrRemoval = (entry: PluginEntry): boolean =>
  isStrata(entry) || entry.spec === `-${PACKAGE}` || entry.spec === "-*";

function checkLoading(
  plugins: readonly PluginEntry[],
  local: readonly string[],
  removal: PluginEntry | undefined,
): Finding[] {
  const entries = plugins.filter(isStrata);
  // OpenCode loads the same spec once, even if several files name it.
  const specs = new Set(entries.map(({ file, spec }) => resolveSpec(spec, dirname(file)) ?? spec));
  const places = [...entries.map(quoteEntry), ...local];
  if (places.length === 0) {
    const what = `${PACKAGE} is not configured: no plugin list names it, so OpenCode does not load it`;
    return [problem(what, "strata init")];
  }
  if (removal) {
    const what = `${quoteEntry(removal)} removes ${PACKAGE}, so OpenCode 2 does not load ${places.join(", ")}`;
    return [problem(what, "delete that entry")];
  }
  if (specs.size + local.length > 1) {
    const what = `${PACKAGE} is loaded ${specs.size + local.length} times: ${places.join(", ")}`;
    return [problem(what, "keep one of them; two copies work on the same results")];
  }
  return [fine(`${PACKAGE} is configured once: ${places[0]}`)];
}

/**
 * What is or imports this plugin in the folders from which OpenCode loads plugins by itself: files, and OpenCode 2 also
 * folders and links to them.
 */
async function readLocalPlugins(
  files: CliContext["files"],
  roots: readonly string[],
  isSecond: boolean,
): Promise<string[]> {
  const found: string[] = [];
  for (const folder of roots.flatMap((root) => ["plugin", "plugins"].map((name) => join(root, name)))) {
    for (const name of await files.list(folder).catch(() => [])) {
      const path = join(folder, name);
      const isOurs = /\.[jt]s$/.test(name)
        ? await importsStrata(files, path)
        : isSecond && (await isFolderOfStrata(files, path));
      if (isOurs) found.push(path);
    }
  }
  return found;
}

async function importsStrata(files: CliContext["files"], path: string): Promise<boolean> {
  const text = await readText(files, path).catch(() => undefined);
  const imports = text?.match(/from\s+["'][^"']+["']/g) ?? [];
  return imports.some((line) => line.includes(PACKAGE));
}

async function isFolderOfStrata(files: CliContext["files"], path: string): Promise<boolean> {
  const real = await files.realPath(path).catch(() => undefined);
  if (real === undefined || (await files.stat(real))?.kind !== "folder") return false;
  const entries = (await files.list(real)).filter((name) => /^(server|index)\.[jt]s$/.test(name));
  const imports = await Promise.all(entries.map((name) => importsStrata(files, join(real, name))));
  return imports.includes(true) || (await findName(files, real, "/")) === PACKAGE;
}

function checkConflict({ file, name, spec }: PluginEntry): Finding[] {
  const found = conflictingPlugins.find(([names]) => names.test(name) || names.test(basename(spec)));
  return found ? [warning(`${spec} in ${file} ${found[1]}`, found[2])] : [];
}

/** Whether a model chosen by a file of the project keeps background calls off. */
function checkModels({ claims, config }: Settings): Finding[] {
  const choice = planChoice(config.background, claims.all, claims);
  if (choice.kind === "allowed" || !choice.claim) return [];
  return [warning(`no model is called in the background: ${choice.why}`)];
}

/** OpenCode rejects the whole file if options are not an object. */
function checkOptions({ contents, path }: ParsedFile): Finding[] {
  const entries: readonly unknown[] = Array.isArray(contents.plugin) ? contents.plugin : [];
  return entries.flatMap((entry) => {
    if (!Array.isArray(entry) || entry.length < 2 || isRecord(entry[1])) return [];
    const what = `${path}: the options of ${JSON.stringify(entry[0])} are ${JSON.stringify(entry[1])}, but must be an object`;
    return [problem(what, "OpenCode rejects the whole file; remove the options, or write { … }")];
  });
}

/** OpenCode's own settings that work against the plugin. */
function checkHostSettings({ contents, path }: ParsedFile): Finding[] {
  const { compaction } = contents;
  if (!isRecord(compaction) || compaction.prune !== true) return [];
  const what = `compaction.prune in ${path} makes OpenCode clear old results too, regardless of the prompt cache`;
  return [warning(what, "remove it; microCompact clears them where that costs nothing or pays off")];
}

const REMOVE = "remove one of the two from the plugin list";
/**
 * Other plugins that change what is sent or keep memories of their own, by their names on npm: what both do, which
 * continues "NAME in FILE …", and how to let only one of them do it.
 */
const conflictingPlugins: readonly (readonly [name: RegExp, overlap: string, todo: string])[] = [
  [
    /(^|\/)opencode-(dcp|dynamic-context-pruning)$/,
    "prunes old tool results, as layers 1 and 2 do; each breaks the prompt cache that the other preserves",
    `${REMOVE}, or set toolResults.enabled and microCompact.enabled to false`,
  ],
  [
    /(^|\/)oh-my-open(code|agent)(-slim)?$/,
    "may compact before the host does and truncate tool results, as layers 1, 2 and 4 do",
    "turn off its hooks that compact and truncate (disabled_hooks in its own file), or set autoCompact.enabled and microCompact.enabled to false",
  ],
  [/magic-context$/, "replaces history and keeps memories, as layers 2 to 5 do", REMOVE],
  [
    /(^|\/)opencode-supermemory$/,
    "adds memories to messages and compacts by itself, as layers 4 and 5 do",
    `${REMOVE}, or set autoMemory.enabled, recall.enabled and autoCompact.enabled to false`,
  ],
  [
    /(^|\/)(context-mode|opencode-acp|opencode-mem)$/,
    "keeps results or memories out of the context in its own way",
    REMOVE,
  ],
];

/* Which settings are in force, and where they come from. */

/** The files that were read, what is set, and the defaults, one line for each part; and every setting. */
export async function describeSettings(
  files: CliContext["files"],
  { config, configFiles, layers, limits, plugins }: Settings,
) {
  const { found } = await readSources(files, configFiles, plugins.findLast(isStrata)?.options);
  const settings = composeSettings(layers.map((layer) => layer.settings));
  const lower = explainLimits(settings, limits, found);
  const explained = [...explainSettings(settings, config, found), ...lower];
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

export type ExplainedSetting = ReturnType<typeof explainSettings>[number];

/**
 * Every setting with the strongest valid source that gives it its value. `key`: `toolResults.threshold`. `from`: a file, or
 * "default".
 */
export function explainSettings(settings: SettingsGroup, config: Config, sources: readonly Source[]) {
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

/** The limits that the project's files set beside the user's. */
function explainLimits(
  settings: SettingsGroup,
  { projects }: Limits,
  sources: readonly Source[],
): ExplainedSetting[] {
  return listFields(settings).flatMap(({ owner, path }) => {
    const value = owner === "user or lower limit" ? readPath(projects, path) : undefined;
    if (value === undefined) return [];
    const having = sources.findLast(
      ({ origin, settings: set }) => origin === "project" && readPath(set, path) !== undefined,
    );
    return [{ key: path.join("."), value, from: `${having?.file}, where it is lower` }];
  });
}
