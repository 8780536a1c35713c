/** `strata init`: puts the plugin into a configuration file of OpenCode's, or takes it out, and touches nothing else. */
import { basename, dirname, join } from "node:path";
import { readText } from "../../config/config-files.js";
import { isStrata, PACKAGE, type PluginEntry, readPluginEntries } from "../../config/plugin-entries.js";
import { StrataError } from "../../error.js";
import { findGlobalFolder } from "../../host/config-files.js";
import { isWithin } from "../../own-folders.js";
import type { Files } from "../../seams/files.js";
import { type ExitCode, exitCodes, type Run, type Surroundings } from "../command.js";
import { findUpwards } from "../project.js";
import { readSettings } from "../settings.js";

const PROJECT_FILES = [
  "opencode.json",
  "opencode.jsonc",
  join(".opencode", "opencode.json"),
  join(".opencode", "opencode.jsonc"),
];
const GLOBAL_FILES = ["opencode.json", "opencode.jsonc", "config.json"];

export const run: Run = async (surroundings, { global: isGlobal, remove }) => {
  const globalFiles = listGlobalFiles(surroundings);
  const own = isGlobal ? globalFiles : await listProjectFiles(surroundings);
  if (!isGlobal) for (const path of own) await refuseElsewhere(surroundings, path);
  return remove ? takeOut(surroundings, own) : putIn(surroundings, own, isGlobal ? [] : globalFiles);
};

/**
 * A configuration file may be a link, and is edited where it lies. One of a project that lies outside of it may as well
 * have come with the repository, so only the user's own word makes it theirs to edit. The global one is theirs.
 */
async function refuseElsewhere(surroundings: Surroundings, path: string): Promise<void> {
  const { files, folder } = surroundings;
  const stat = await files.statItself(path);
  if (!stat) return;
  const real = await files.realPath(path).catch(() => undefined);
  const root = (await findUpwards(files, folder, [".git"])) ?? folder;
  const within = (await files.realPath(root)) ?? root;
  if (real !== undefined && isWithin(real, within)) return;
  const { config } = await readSettings(surroundings, root);
  for (const place of config.linkedFolders)
    if (real !== undefined && isWithin(real, (await files.realPath(place)) ?? place)) return;
  throw new StrataError(
    "CONFIG_ELSEWHERE",
    `${path} was left as it is: it leads out of the project, to ${real ?? "nothing"}. Add "${PACKAGE}" to the "plugin" list there yourself, or list its folder in linkedFolders of your own global configuration`,
  );
}

function listGlobalFiles({ env, home }: Surroundings): string[] {
  const folder = findGlobalFolder({ home, env });
  return GLOBAL_FILES.map((name) => join(folder, name));
}

/** Those of the nearest folder that has one, not above the repository; where none has, of the repository's root. */
async function listProjectFiles({ files, folder }: Surroundings): Promise<string[]> {
  const root = (await findUpwards(files, folder, [".git"])) ?? folder;
  const configured = await findUpwards(files, folder, PROJECT_FILES);
  const chosen = configured?.startsWith(root) ? configured : root;
  return PROJECT_FILES.map((name) => join(chosen, name));
}

async function putIn(
  { files, say }: Surroundings,
  own: readonly string[],
  elsewhere: readonly string[],
): Promise<ExitCode> {
  const [found] = (await readEntries(files, [...own, ...elsewhere])).filter(isStrata);
  if (found) {
    say(`${found.file} has "${found.spec}" already, nothing to do.`);
    return exitCodes.fine;
  }
  const path = await chooseFile(files, own);
  const { planAdd } = await import("../init/edit-plugins.js");
  const text = await readToEdit(files, path);
  const spec = await chooseSpec(files, path);
  const edited = planAdd(text ?? "", spec);
  if (edited.kind === "refused") throw refused(path, edited.why);
  if (edited.kind === "edited") await files.writeWhole(path, edited.text, { mode: "kept" });
  say(`${text === undefined ? "Made" : "Added to"} ${path}: "plugin": ["${spec}"]`);
  say("It runs from the next start of OpenCode on; strata doctor proves that it does.");
  return exitCodes.fine;
}

async function takeOut({ files, say }: Surroundings, own: readonly string[]): Promise<ExitCode> {
  const entries = (await readEntries(files, own)).filter(isStrata);
  const { planRemove } = await import("../init/edit-plugins.js");
  for (const path of new Set(entries.map(({ file }) => file))) {
    const specs = new Set(entries.filter(({ file }) => file === path).map(({ spec }) => spec));
    const edited = planRemove((await readToEdit(files, path)) ?? "", (spec) => specs.has(spec));
    if (edited.kind === "refused") throw refused(path, edited.why);
    if (edited.kind === "edited") await files.writeWhole(path, edited.text, { mode: "kept" });
    say(`Taken out of ${path}. What it has written stays; .opencode/strata/state may be deleted.`);
  }
  if (entries.length === 0) say(`No entry for ${PACKAGE} in ${own.join(", ")}: nothing to do.`);
  return exitCodes.fine;
}

/** Whose the files are makes no difference to where an entry stands. */
const readEntries = (files: Files, paths: readonly string[]): Promise<PluginEntry[]> =>
  readPluginEntries(
    files,
    paths.map((path) => ({ path, origin: "user" })),
  );

/** The first file that is there and has a list of plugins, else the first that is there, else the usual one. */
async function chooseFile(files: Files, own: readonly string[]): Promise<string> {
  const listing = (await readEntries(files, own))[0]?.file;
  if (listing !== undefined) return listing;
  for (const path of own) if (await files.stat(path)) return path;
  return own[0] as string;
}

/** The copy that the project has installed for itself, if it has: that one is pinned by its lock file. */
async function chooseSpec(files: Files, path: string): Promise<string> {
  const isInside = basename(dirname(path)) === ".opencode";
  const root = isInside ? dirname(dirname(path)) : dirname(path);
  const isInstalled = await files.stat(join(root, "node_modules", PACKAGE, "package.json"));
  return isInstalled ? `${isInside ? ".." : "."}/node_modules/${PACKAGE}` : PACKAGE;
}

async function readToEdit(files: Files, path: string): Promise<string | undefined> {
  const text = await readText(files, path);
  if (text instanceof Error) throw text;
  return text;
}

function refused(path: string, why: string): StrataError {
  return new StrataError(
    "CONFIG_BROKEN",
    `${path} was left as it is: ${why}. Mend it, or add "${PACKAGE}" to its "plugin" list yourself`,
  );
}
