/** `strata init`: adds the plugin to an OpenCode configuration file, or removes it, and changes nothing else. */
import { basename, dirname, join } from "node:path";
import { readText } from "../../config/config-files.js";
import { isStrata, PACKAGE, type PluginEntry, readPluginEntries } from "../../config/plugin-entries.js";
import { StrataError } from "../../error.js";
import { findGlobalFolder } from "../../host/config-files.js";
import { isWithin } from "../../own/own-folders.js";
import type { Files } from "../../seams/files.js";
import { type CliContext, type ExitCode, exitCodes, type Run } from "../command.js";
import { findUpwards } from "../find-project.js";
import { readSettings } from "../settings.js";

const PROJECT_FILES = [
  "opencode.json",
  "opencode.jsonc",
  join(".opencode", "opencode.json"),
  join(".opencode", "opencode.jsonc"),
];
const GLOBAL_FILES = ["opencode.json", "opencode.jsonc", "config.json"];

export const run: Run = async (cli, { global: isGlobal, remove }) => {
  const globalFiles = listGlobalFiles(cli);
  const own = isGlobal ? globalFiles : await listProjectFiles(cli);
  if (!isGlobal) for (const path of own) await refuseOutside(cli, path);
  return remove ? removeEntry(cli, own) : addEntry(cli, own, isGlobal ? [] : globalFiles);
};

/**
 * A configuration file may be a link, and is edited where it leads. A project's link that leads out of the project may
 * have come with the repository, so it is followed only where the user's settings allow it.
 */
async function refuseOutside(cli: CliContext, path: string): Promise<void> {
  const { files, folder } = cli;
  const stat = await files.statItself(path);
  if (!stat) return;
  const real = await files.realPath(path).catch(() => undefined);
  const root = (await findUpwards(files, folder, [".git"])) ?? folder;
  const within = (await files.realPath(root)) ?? root;
  if (real !== undefined && isWithin(real, within)) return;
  const { config } = await readSettings(cli, root);
  for (const place of config.linkedFolders)
    if (real !== undefined && isWithin(real, (await files.realPath(place)) ?? place)) return;
  throw new StrataError(
    "CONFIG_ELSEWHERE",
    `${path} was not changed: it is a link out of the project, to ${real ?? "nothing"}. Add "${PACKAGE}" to the "plugin" list there yourself, or list its folder under linkedFolders in your global configuration`,
  );
}

function listGlobalFiles({ env, home }: CliContext): string[] {
  const folder = findGlobalFolder({ home, env });
  return GLOBAL_FILES.map((name) => join(folder, name));
}

/** Those of the nearest folder that has one, within the repository; otherwise those of its root. */
async function listProjectFiles({ files, folder }: CliContext): Promise<string[]> {
  const root = (await findUpwards(files, folder, [".git"])) ?? folder;
  const configured = await findUpwards(files, folder, PROJECT_FILES);
  const chosen = configured?.startsWith(root) ? configured : root;
  return PROJECT_FILES.map((name) => join(chosen, name));
}

async function addEntry(
  { files, packageFolder, say }: CliContext,
  own: readonly string[],
  elsewhere: readonly string[],
): Promise<ExitCode> {
  const [found] = (await readEntries(files, [...own, ...elsewhere])).filter(isStrata);
  if (found) {
    say(`Already configured: "${found.spec}" in ${found.file}`);
    return exitCodes.fine;
  }
  const path = await chooseFile(files, own);
  const { planAdd } = await import("../init/edit-plugins.js");
  const text = await readToEdit(files, path);
  const spec = await chooseSpec(files, path, packageFolder);
  const edited = planAdd(text ?? "", spec);
  if (edited.kind === "refused") throw refused(path, edited.why);
  if (edited.kind === "edited") await files.writeWhole(path, edited.text, { mode: "kept" });
  say(`${text === undefined ? "Created" : "Added to"} ${path}: "plugin": ["${spec}"]`);
  say("OpenCode loads it at its next start; strata doctor checks that it works.");
  return exitCodes.fine;
}

async function removeEntry({ files, say }: CliContext, own: readonly string[]): Promise<ExitCode> {
  const entries = (await readEntries(files, own)).filter(isStrata);
  const { planRemove } = await import("../init/edit-plugins.js");
  for (const path of new Set(entries.map(({ file }) => file))) {
    const specs = new Set(entries.filter(({ file }) => file === path).map(({ spec }) => spec));
    const edited = planRemove((await readToEdit(files, path)) ?? "", (spec) => specs.has(spec));
    if (edited.kind === "refused") throw refused(path, edited.why);
    if (edited.kind === "edited") await files.writeWhole(path, edited.text, { mode: "kept" });
    say(`Removed from ${path}. The plugin's files remain; you can delete .opencode/strata/state.`);
  }
  if (entries.length === 0) say(`${PACKAGE} is not configured in ${own.join(", ")}; nothing to remove.`);
  return exitCodes.fine;
}

/** The origin does not matter for finding an entry. */
const readEntries = (files: Files, paths: readonly string[]): Promise<PluginEntry[]> =>
  readPluginEntries(
    files,
    paths.map((path) => ({ path, origin: "user" })),
  );

/** The first existing file with a plugin list, else the first existing file, else the usual one. */
async function chooseFile(files: Files, own: readonly string[]): Promise<string> {
  const listing = (await readEntries(files, own))[0]?.file;
  if (listing !== undefined) return listing;
  for (const path of own) if (await files.stat(path)) return path;
  return own[0] as string;
}

/**
 * The copy in the project's node_modules, if there is one, since the project's lock file pins it; otherwise the folder
 * that this command line runs from, if it is no installed package; otherwise the package's name.
 */
async function chooseSpec(files: Files, path: string, packageFolder = PACKAGE): Promise<string> {
  const isInside = basename(dirname(path)) === ".opencode";
  const root = isInside ? dirname(dirname(path)) : dirname(path);
  const isInstalled = await files.stat(join(root, "node_modules", PACKAGE, "package.json"));
  return isInstalled ? `${isInside ? ".." : "."}/node_modules/${PACKAGE}` : packageFolder;
}

async function readToEdit(files: Files, path: string): Promise<string | undefined> {
  const text = await readText(files, path);
  if (text instanceof Error) throw text;
  return text;
}

function refused(path: string, why: string): StrataError {
  return new StrataError(
    "CONFIG_BROKEN",
    `${path} was not changed: ${why}. Correct it, or add "${PACKAGE}" to its "plugin" list yourself`,
  );
}
