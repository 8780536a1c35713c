/**
 * `strata init`: adds the plugin and its part of the screen to OpenCode's configuration, in the form of the OpenCode that is
 * there, or removes them in every form, and changes nothing else. All changes are planned before the first is written.
 */
import { join } from "node:path";
import { StrataError } from "../../base/error.js";
import { PACKAGE } from "../../config/plugin-entries.js";
import { findFolder } from "../../conversations/conversations.js";
import { openConversations } from "../../conversations/feed.js";
import { removeEmptyFolders } from "../../io/node-files.js";
import {
  type CliContext,
  type ExitCode,
  exitCodes,
  type Run,
  WRONG_ARGUMENT,
} from "../../operations/command.js";
import { findHost } from "../../operations/doctor/opencode.js";
import { refuseCaller } from "../../operations/operation.js";
import {
  findUpwards,
  isInAgentsShell,
  openProject,
  type Project,
  readOpenOptions,
  readSettings,
} from "../../operations/project.js";
import { findGlobalFolder } from "../../project/folders.js";
import { isWithin } from "../../project/own-files.js";
import {
  formatPurge,
  HALVES,
  type Half,
  type Place,
  type PlannedEntry,
  planEntry,
  planGlobalPurge,
  planPurge,
  planRemoval,
  purge,
  SCREEN_2,
  usersFile,
} from "../init/halves.js";
export const run: Run = async (cli, { global: isGlobal, purge: isPurge, remove, yes }) => {
  if (isPurge && !remove) throw new StrataError(WRONG_ARGUMENT, "--purge needs --remove");
  const folder = isGlobal ? undefined : await findProjectFolder(cli);
  const place = (half: Half): Place => {
    const globalFiles = half.globalNames.map((name) => join(findGlobalFolder(cli), name));
    if (folder === undefined) return { half, own: globalFiles, elsewhere: [] };
    const own = [folder, join(folder, ".opencode")].flatMap((place) =>
      half.fileNames.map((name) => join(place, name)),
    );
    return { half, own, elsewhere: globalFiles };
  };
  const places = HALVES.map(place);
  if (!isGlobal) for (const path of places.flatMap(({ own }) => own)) await refuseOutside(cli, path);
  if (!remove) return addEntries(cli, places);
  const doPurge = isPurge ? await preparePurge(cli, isGlobal === true, yes === true) : undefined;
  if (doPurge === "declined") return exitCodes.fine;
  return removeEntries(cli, isGlobal ? [...places, place(SCREEN_2)] : places, doPurge);
};

/** Says what would be deleted, and asks. Returns what deletes it. */
async function preparePurge(
  cli: CliContext,
  isGlobal: boolean,
  isAgreed: boolean,
): Promise<(() => Promise<void>) | "declined"> {
  const { ask, files, say, warn } = cli;
  if (await isInAgentsShell(cli)) throw refuseCaller("init --remove --purge", "agent");
  const project = isGlobal ? undefined : await openProject(cli);
  const plan = project ? await planPurge(project) : await planGlobalPurge(cli);
  say(plan.doomed.length === 0 ? "There is nothing to delete." : "This deletes for good:");
  const listed = formatPurge(plan);
  if (listed !== "") say(listed);
  if (plan.doomed.length > 0 && !isAgreed) {
    if (!ask)
      throw new StrataError(WRONG_ARGUMENT, "there is no terminal to ask in; add --yes to delete all of it");
    warn("This includes memories; strata export FILE saves them. Close OpenCode first.");
    if (!(await ask("Delete it?"))) {
      say("Nothing was changed.");
      return "declined";
    }
  }
  return async () => {
    await purge(files, plan);
    if (project) await forgetProject(project);
    if (plan.doomed.length > 0) say("Deleted. OpenCode's sessions and what git has committed are untouched.");
  };
}

/** What was said in the project's sessions, which the index of all projects has, and its empty folder. */
async function forgetProject(project: Project): Promise<void> {
  await removeEmptyFolders(join(project.root, ".opencode"));
  if (!(await project.cli.files.stat(findFolder(project.stateFolder)))) return;
  await openConversations(await readOpenOptions(project), "purge").removeProject(project.root);
}

/** The nearest folder with a configuration of OpenCode's, within the repository; otherwise its root. */
async function findProjectFolder({ files, folder }: CliContext): Promise<string> {
  const root = (await findUpwards(files, folder, [".git"])) ?? folder;
  const names = HALVES.flatMap(({ fileNames }) => fileNames);
  const inside = names.map((name) => join(".opencode", name));
  const configured = await findUpwards(files, folder, [...names, ...inside]);
  return configured?.startsWith(root) ? configured : root;
}

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
  const why = `${path} was not changed: it is a link out of the project, to ${real ?? "nothing"}. Add "${PACKAGE}" to the "plugin" list there yourself, or list its folder under linkedFolders in your global configuration`;
  throw new StrataError("CONFIG_ELSEWHERE", why);
}

async function addEntries(cli: CliContext, all: readonly Place[]): Promise<ExitCode> {
  const { files, packageFolder, say } = cli;
  const paths = all.flatMap(({ elsewhere, own }) => [...own, ...elsewhere]);
  const { isSecond, why } = await findHost(cli, paths.map(usersFile));
  say(`For OpenCode ${isSecond ? "2, which loads both halves by one entry" : "1"}: ${why}.`);
  const places = isSecond ? all.slice(0, 1) : all;
  const planned: PlannedEntry[] = [];
  for (const place of places)
    planned.push(await planEntry(files, place, { isSecond, packageFolder, plugin: planned[0]?.entry }));
  for (const { entry, text } of planned)
    if (text !== undefined) await files.writeWhole(entry.file, text, { mode: "kept" });
  for (const [index, { entry, isNew, text }] of planned.entries()) {
    const { file, list, spec } = entry;
    const name = isSecond ? "the plugin, its sidebar and dialogs" : places[index]?.half.name;
    if (text === undefined) say(`Already configured: "${spec}" in ${file}, ${name}`);
    else say(`${isNew ? "Created" : "Added to"} ${file}: "${list}": ["${spec}"], ${name}`);
  }
  if (planned.some(({ text }) => text !== undefined))
    say("OpenCode loads both at its next start; strata doctor checks that it works.");
  return exitCodes.fine;
}

async function removeEntries(
  cli: CliContext,
  places: readonly Place[],
  doPurge: (() => Promise<void>) | undefined,
): Promise<ExitCode> {
  const { files, say } = cli;
  const changes = (await Promise.all(places.map((place) => planRemoval(files, place)))).flat();
  for (const { path, text } of changes)
    await (text === undefined ? files.remove(path) : files.writeWhole(path, text, { mode: "kept" }));
  for (const { path, text } of changes)
    say(`Removed ${text === undefined ? `${path}, which had nothing else in it` : `from ${path}`}.`);
  const own = places.flatMap((place) => place.own.slice(0, 2));
  const remain = `Strata's files remain: in a project strata init --remove --purge deletes them, memories included, and with --global those in your home.`;
  const none = `${PACKAGE} is not configured in ${own.join(", ")}; nothing to remove.`;
  if (!doPurge) say(changes.length === 0 ? none : remain);
  await doPurge?.();
  return exitCodes.fine;
}
