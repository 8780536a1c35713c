/** What stands in the configuration files: this plugin once, no rival, nothing wrong. */
import { basename, dirname, join } from "node:path";
import { planChoice } from "../../background/choice.js";
import { readConfigFiles, readText } from "../../config/config-files.js";
import { isStrata, PACKAGE, type PluginEntry, resolveSpec } from "../../config/plugin-entries.js";
import { findGlobalFolder } from "../../host/config-files.js";
import { isRecord } from "../../records.js";
import type { ConfigFile } from "../../seams/host.js";
import type { Surroundings } from "../command.js";
import type { Settings } from "../settings.js";
import { type Finding, fine, problem, warning } from "./finding.js";
import { findRival } from "./rivals.js";

/** Findings on the configuration of a project. */
export async function checkConfiguration(
  { env, files, home }: Pick<Surroundings, "env" | "files" | "home">,
  project: string,
  settings: Settings,
): Promise<Finding[]> {
  const local = await readLocalPlugins(files, [join(project, ".opencode"), findGlobalFolder({ env, home })]);
  const { unreadable } = await readConfigFiles(files, settings.configFiles);
  return [
    // The cause before what comes of it.
    ...settings.problems.map((sentence) => problem(sentence)),
    ...checkLoading(settings.plugins, local, unreadable),
    ...checkModels(settings),
    ...settings.plugins.flatMap(checkRival),
    ...(await checkHostSettings(files, settings.configFiles)),
  ];
}

function checkLoading(
  plugins: readonly PluginEntry[],
  local: readonly string[],
  unreadable: readonly string[],
): Finding[] {
  const entries = plugins.filter(isStrata);
  // Files overrule each other by the name of the package: the same spec twice is loaded once.
  const specs = new Set(entries.map(({ file, spec }) => resolveSpec(spec, dirname(file)) ?? spec));
  const places = [...entries.map(({ file, spec }) => `"${spec}" in ${file}`), ...local];
  if (places.length === 0 && unreadable.length > 0)
    return [
      problem(
        `whether ${PACKAGE} is loaded cannot be told while ${unreadable.join(" and ")} cannot be read`,
        "mend the file, then ask again",
      ),
    ];
  if (places.length === 0)
    return [problem(`${PACKAGE} stands in no plugin list, so OpenCode does not load it`, "strata init")];
  if (specs.size + local.length > 1) {
    const what = `${PACKAGE} is loaded ${specs.size + local.length} times: ${places.join(", ")}`;
    return [problem(what, "leave one; two copies move and clear the same results")];
  }
  return [fine(`${PACKAGE} is loaded once: ${places[0]}`)];
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

/** Settings of OpenCode's own that work against it. */
async function checkHostSettings(
  files: Surroundings["files"],
  configFiles: readonly ConfigFile[],
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { contents, path } of (await readConfigFiles(files, configFiles)).parsed) {
    const { compaction } = contents;
    if (isRecord(compaction) && compaction.prune === true) {
      const what = `compaction.prune in ${path} lets OpenCode clear old results too, without regard to the prompt cache`;
      findings.push(warning(what, "take it out; microCompact does it where it costs nothing or pays back"));
    }
  }
  return findings;
}
