/** What stands in the configuration files: this plugin once, no rival, nothing wrong. */
import { basename, dirname, join } from "node:path";
import { planChoice } from "../../background/choice.js";
import { type ParsedFile, readConfigFiles, readText } from "../../config/config-files.js";
import { isStrata, PACKAGE, type PluginEntry, resolveSpec } from "../../config/plugin-entries.js";
import { findGlobalFolder } from "../../host/config-files.js";
import { isRecord } from "../../records.js";
import type { Surroundings } from "../command.js";
import type { Settings } from "../settings.js";
import { type Configured, findConfigured, isMeant } from "./configured.js";
import { type Finding, fine, problem, warning } from "./finding.js";
import { findRival } from "./rivals.js";

export interface ConfigurationFindings {
  findings: Finding[];
  /** What has OpenCode load this plugin; absent where nothing does. */
  configured: Configured | undefined;
}

/** Findings on the configuration of a project. */
export async function checkConfiguration(
  { env, files, home }: Pick<Surroundings, "env" | "files" | "home">,
  project: string,
  settings: Settings,
): Promise<ConfigurationFindings> {
  const local = await readLocalPlugins(files, [join(project, ".opencode"), findGlobalFolder({ env, home })]);
  const { parsed, unreadable } = await readConfigFiles(files, settings.configFiles);
  const configured = findConfigured(settings.plugins, local);
  // A file that cannot be read may be the one that names the plugin: that it is in none would be a guess.
  const isGuess = configured === undefined && unreadable.length > 0;
  const findings = [
    // The cause before what comes of it.
    ...settings.problems.map((sentence) => problem(sentence)),
    ...(isGuess ? [problem(formatGuess(unreadable), MEND)] : checkLoading(settings.plugins, local)),
    ...parsed.flatMap(checkOptions),
    ...checkModels(settings),
    ...settings.plugins.flatMap(checkRival),
    ...parsed.flatMap(checkHostSettings),
  ];
  return { configured, findings };
}

const MEND = "mend the file, then ask again";

const formatGuess = (unreadable: readonly string[]): string =>
  `whether ${PACKAGE} is loaded cannot be told while ${unreadable.join(" and ")} cannot be read`;

function checkLoading(plugins: readonly PluginEntry[], local: readonly string[]): Finding[] {
  const entries = plugins.filter((entry) => isStrata(entry) || isMeant(entry));
  // Files overrule each other by the name of the package: the same spec twice is loaded once.
  const specs = new Set(entries.map(({ file, spec }) => resolveSpec(spec, dirname(file)) ?? spec));
  const places = [...entries.map(({ file, spec }) => `"${spec}" in ${file}`), ...local];
  if (places.length === 0) {
    const what = `${PACKAGE} is not configured: it stands in no plugin list, so OpenCode does not load it`;
    return [problem(what, "strata init")];
  }
  if (specs.size + local.length > 1) {
    const what = `${PACKAGE} is loaded ${specs.size + local.length} times: ${places.join(", ")}`;
    return [problem(what, "leave one; two copies move and clear the same results")];
  }
  return [fine(`${PACKAGE} is configured once: ${places[0]}`)];
}

/** Files in the folders that OpenCode loads plugins from by itself, as far as they are about this one. */
async function readLocalPlugins(files: Surroundings["files"], roots: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const folder of roots.flatMap((root) => ["plugin", "plugins"].map((name) => join(root, name)))) {
    for (const name of (await files.list(folder).catch(() => [])).filter((one) => /\.[jt]s$/.test(one))) {
      const text = await readText(files, join(folder, name));
      const imports = typeof text === "string" ? text.match(/from\s+["'][^"']+["']/g) : undefined;
      if (imports?.some((line) => line.includes(PACKAGE))) found.push(join(folder, name));
    }
  }
  return found;
}

function checkRival({ file, name, spec }: PluginEntry): Finding[] {
  const rival = findRival(name) ?? findRival(basename(spec));
  return rival ? [warning(`${spec} in ${file} ${rival.overlap}`, rival.todo)] : [];
}

/** Where a file of the project chooses the model that would be asked in the background, or where it is. */
function checkModels({ claims, config }: Settings): Finding[] {
  const choice = planChoice(config.background, claims.all, claims);
  if (choice.kind === "allowed" || !choice.claim) return [];
  return [warning(`no model is asked in the background: ${choice.why}`)];
}

/** Options that are no object have OpenCode refuse the whole file. */
function checkOptions({ contents, path }: ParsedFile): Finding[] {
  const entries: readonly unknown[] = Array.isArray(contents.plugin) ? contents.plugin : [];
  return entries.flatMap((entry) => {
    if (!Array.isArray(entry) || entry.length < 2 || isRecord(entry[1])) return [];
    const what = `${path}: the options of ${JSON.stringify(entry[0])} are ${JSON.stringify(entry[1])}, expected an object`;
    return [problem(what, "OpenCode refuses to work with such a file; take them out, or write { … }")];
  });
}

/** Settings of OpenCode's own that work against it. */
function checkHostSettings({ contents, path }: ParsedFile): Finding[] {
  const { compaction } = contents;
  if (!isRecord(compaction) || compaction.prune !== true) return [];
  const what = `compaction.prune in ${path} lets OpenCode clear old results too, without regard to the prompt cache`;
  return [warning(what, "take it out; microCompact does it where it costs nothing or pays back")];
}
