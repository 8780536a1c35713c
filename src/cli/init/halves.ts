/**
 * The package's two halves, and the files in which OpenCode 1 looks for each: it loads them apart. OpenCode 2 loads both by
 * the entry of the first.
 */
import { basename, dirname, join, relative } from "node:path";
import { StrataError } from "../../base/error.js";
import { formatCount, formatCounted } from "../../base/format.js";
import { isRecord, parseJson } from "../../base/shape.js";
import {
  findInstalledFile,
  isStrata,
  PACKAGE,
  type PluginEntry,
  type PluginList,
  readConfigFiles,
  readPluginEntries,
  resolveSpec,
} from "../../config/plugin-entries.js";
import { type Files, readPlainText, readText } from "../../io/files.js";
import type { ConfigFile } from "../../io/host.js";
import { removeEmptyFolders } from "../../io/node-files.js";
import { findIdentityFiles } from "../../memory/trust/place.js";
import type { CliContext } from "../../operations/command.js";
import type { Project } from "../../operations/project.js";
import { findGlobalFolder, findStateFolder } from "../../project/folders.js";
import { locateRecord } from "../../project/state-owner.js";
import { formatNewFile, planAdd, planRemove } from "./edit-plugins.js";

export interface Half {
  name: string;
  fileNames: readonly string[];
  globalNames: readonly string[];
  schema: string;
}

/** The plugin first: the screen's entry follows its. */
export const HALVES: readonly Half[] = [
  {
    name: "the plugin",
    fileNames: ["opencode.json", "opencode.jsonc"],
    globalNames: ["opencode.json", "opencode.jsonc", "config.json"],
    schema: "https://opencode.ai/config.json",
  },
  {
    name: "its sidebar and dialogs",
    fileNames: ["tui.json", "tui.jsonc"],
    globalNames: ["tui.json", "tui.jsonc"],
    schema: "https://opencode.ai/tui.json",
  },
];

/**
 * Where OpenCode 2 keeps what belongs to its screen alone, for all projects. Nothing is added there, but at its first start
 * it copies the entries of a global tui.json to it.
 */
export const SCREEN_2: Half = { name: "its sidebar", fileNames: [], globalNames: ["cli.json"], schema: "" };

export interface Place {
  half: Half;
  /** Files that this command may edit, the usual one first. */
  own: readonly string[];
  elsewhere: readonly string[];
}

export interface PlannedEntry {
  entry: Named;
  /** The new text of its file, if it is not there yet. */
  text?: string;
  isNew?: boolean;
}

/** `text`: absent if nothing else is in it: it is deleted. */
type PlannedRemoval = { path: string; text?: string };

type Named = Pick<PluginEntry, "file" | "list" | "spec">;

const refuse = (path: string, why: string): StrataError =>
  new StrataError("CONFIG_BROKEN", `${path} was not changed: ${why}`);

interface EntryOptions {
  packageFolder: string | undefined;
  /** The entry of the other half, which this one should agree with. */
  plugin: Named | undefined;
  isSecond: boolean;
}

/** Adds the entry of one half. @throws StrataError CONFIG_BROKEN */
export async function planEntry(
  files: Files,
  { elsewhere, half, own }: Place,
  { isSecond, packageFolder = PACKAGE, plugin }: EntryOptions,
): Promise<PlannedEntry> {
  const found = await readStrata(files, [...own, ...elsewhere]);
  const loaded = found.find(({ list }) => isSecond || list === "plugin");
  if (loaded) return { entry: loaded };
  const [unread] = found;
  const why = `"${unread?.spec}" stands in its "plugins" list, which OpenCode 1 does not read, and OpenCode 2 loads both lists. Run strata init --remove, then strata init`;
  if (unread) throw refuse(unread.file, why);
  const path = await chooseFile(files, own, plugin);
  const text = await readText(files, path);
  const spec =
    (plugin && (await findSameSpec(files, path, plugin))) ?? (await chooseSpec(files, path, packageFolder));
  const list = isSecond ? await chooseList(files, path) : "plugin";
  const edited = planAdd(text ?? "", { spec, list, schema: half.schema });
  if (edited.kind === "refused")
    throw refuse(path, `${edited.why}. Correct it, or add "${PACKAGE}" to its "${list}" list yourself`);
  const entry = { file: path, list, spec };
  return edited.kind === "unchanged" ? { entry } : { entry, text: edited.text, isNew: text === undefined };
}

/** Removes the entries of one half from every file; throws as above; deletes a file that holds nothing else that was written there. */
export async function planRemoval(files: Files, { half, own }: Place): Promise<PlannedRemoval[]> {
  const entries = await readStrata(files, own);
  const changes: PlannedRemoval[] = [];
  for (const path of own) {
    const here = entries.filter(({ file }) => file === path);
    const specs = new Set(here.map(({ spec }) => spec));
    const text = (await readText(files, path)) ?? "";
    // A file that cannot be parsed has no entries, but may mean to have one.
    if (specs.size === 0 && !text.includes(PACKAGE)) continue;
    const edited = planRemove(text, (spec) => specs.has(spec));
    const isLink = (await files.statItself(path))?.kind !== "file";
    const isOurs = !isLink && here.some((entry) => text === formatNewFile({ ...entry, schema: half.schema }));
    if (edited.kind === "refused")
      throw refuse(path, `${edited.why}. Correct it, or remove "${PACKAGE}" yourself`);
    if (isOurs) changes.push({ path });
    else if (edited.kind === "edited") changes.push({ path, text: edited.text });
  }
  return changes;
}

/** The origin does not matter for finding an entry. */
export const usersFile = (path: string): ConfigFile => ({ path, origin: "user" });

const readEntries = (files: Files, paths: readonly string[]): Promise<PluginEntry[]> =>
  readPluginEntries(files, paths.map(usersFile));

const readStrata = async (files: Files, paths: readonly string[]): Promise<PluginEntry[]> =>
  (await readEntries(files, paths)).filter(isStrata);

/** The first existing file with a plugin list, else the first existing file, else the one beside the plugin's, else the usual one. */
async function chooseFile(files: Files, own: readonly string[], plugin: Named | undefined): Promise<string> {
  const listing = (await readEntries(files, own))[0]?.file;
  if (listing !== undefined) return listing;
  for (const path of own) if (await files.stat(path)) return path;
  const beside = own.find((path) => plugin && dirname(path) === dirname(plugin.file));
  return beside ?? (own[0] as string);
}

/** The list that the file has; one that both versions read where it has none of OpenCode 2's. */
async function chooseList(files: Files, path: string): Promise<PluginList> {
  const { parsed } = await readConfigFiles(files, [usersFile(path)]);
  const contents = parsed[0]?.contents ?? {};
  return "plugin" in contents && !("plugins" in contents) ? "plugin" : "plugins";
}

/** The other half's package or folder, as written in the file at `path`; `undefined` if it loads that half only. */
async function findSameSpec(files: Files, path: string, { file, spec }: Named): Promise<string | undefined> {
  const target = resolveSpec(spec, dirname(file));
  // OpenCode 1.18.33 loads the plugin from an archive, but not its screen.
  if (target === undefined) return findInstalledFile(spec) !== undefined ? undefined : spec;
  if ((await files.stat(target).catch(() => undefined))?.kind !== "folder") return undefined;
  if (dirname(path) === dirname(file) || !/^\.{1,2}\//.test(spec)) return spec;
  const steps = relative(dirname(path), target);
  return steps.startsWith("..") ? steps : `./${steps}`;
}

/**
 * The copy in the project's node_modules, if there is one, since the project's lock file pins it; otherwise the folder
 * that this command line runs from, if it is no installed package; otherwise the package's name.
 */
async function chooseSpec(files: Files, path: string, packageFolder: string): Promise<string> {
  const isInside = basename(dirname(path)) === ".opencode";
  const root = isInside ? dirname(dirname(path)) : dirname(path);
  const isInstalled = await files.stat(join(root, "node_modules", PACKAGE, "package.json"));
  return isInstalled ? `${isInside ? ".." : "."}/node_modules/${PACKAGE}` : packageFolder;
}

/*
 * What `strata init --remove --purge` deletes: Strata's folders in a project, and its record in the user's state folder; with
 * `--global` all that is the user's.
 */

export interface PurgePlan {
  doomed: readonly Doomed[];
  /** Sentences on what looks like Strata's and is left alone. */
  leftAlone: readonly string[];
}

interface Doomed {
  place: string;
  paths: readonly string[];
  bytes: number;
}

type Where = Pick<Project, "folders" | "root" | "stateFolder"> & { cli: { files: Files } };

/** Follows no link: what a link leads to is not Strata's, and a folder that is one is left alone. */
export async function planPurge({ cli: { files }, folders, root, stateFolder }: Where): Promise<PurgePlan> {
  const { memory, sessionMemory, strata, toolResults } = folders;
  const record = await locateRecord(files, { project: root, stateFolder });
  const own = [toolResults, sessionMemory, memory, strata, ...(await listHosts(files, root))];
  const inProject = await planPlaces(files, root, own);
  const identity = await findIdentityFiles({ files, folder: root, stateFolder });
  const beside = await measureAll(files, [record.folder, ...identity]);
  return { ...inProject, doomed: [...inProject.doomed, ...beside] };
}

export async function planGlobalPurge(cli: CliContext): Promise<PurgePlan> {
  const folder = findGlobalFolder(cli);
  const own = await planPlaces(cli.files, folder, [join(folder, "memory"), join(folder, "strata")]);
  return { ...own, doomed: [...own.doomed, ...(await measureAll(cli.files, [findStateFolder(cli)]))] };
}

async function planPlaces(files: Files, root: string, places: readonly string[]): Promise<PurgePlan> {
  const real = (await files.realPath(root)) ?? root;
  const found = await Promise.all(places.map(async (place) => ({ place, at: await files.realPath(place) })));
  const isOwn = (at: string, place: string): boolean => at === join(real, place.slice(root.length));
  const own = found.flatMap(({ at, place }) => (at !== undefined && isOwn(at, place) ? [place] : []));
  const others = found.filter(({ at, place }) => at !== undefined && !isOwn(at, place));
  return {
    doomed: await measureAll(files, own),
    leftAlone: others.map(({ at, place }) => `${place} leads to ${at}, and is left alone`),
  };
}

/** What OpenCode 1 installs into every `.opencode`, if nothing but that and Strata's folders is there. */
const HOSTS = [".gitignore", "bun.lock", "node_modules", "package-lock.json", "package.json"];
const OURS = ["memory", "session-memory", "strata", "tool-results"];

async function listHosts(files: Files, root: string): Promise<string[]> {
  const folder = join(root, ".opencode");
  const names = (await files.list(folder)).filter((name) => !OURS.includes(name));
  const manifest = parseJson((await readPlainText(files, join(folder, "package.json"))) || "{}");
  const { dependencies } = isRecord(manifest) ? manifest : {};
  const wanted = isRecord(dependencies) ? Object.keys(dependencies) : [];
  const isHosts = wanted.every((one) => one === "@opencode-ai/plugin");
  return isHosts && names.every((name) => HOSTS.includes(name))
    ? names.map((name) => join(folder, name))
    : [];
}

async function measureAll(files: Files, places: readonly string[]): Promise<Doomed[]> {
  const measured = places.map((place) => ({ place, paths: [] as string[], bytes: 0 }));
  const look = async (doomed: (typeof measured)[number], path: string): Promise<void> => {
    const stat = await files.statItself(path);
    if (stat?.kind === "folder")
      for (const name of await files.list(path)) await look(doomed, join(path, name));
    else if (stat) {
      doomed.paths.push(path);
      doomed.bytes += stat.bytes;
    }
  };
  for (const doomed of measured) await look(doomed, doomed.place);
  return measured.filter(({ paths }) => paths.length > 0);
}

export function formatPurge({ doomed, leftAlone }: PurgePlan): string {
  const lines = doomed.map(
    ({ bytes, paths, place }) =>
      `  ${place}  ${formatCounted(paths.length, "file")}, ${formatCount(bytes)} bytes`,
  );
  return [...lines, ...leftAlone.map((sentence) => `  ${sentence}`)].join("\n");
}

export async function purge(files: Files, { doomed }: PurgePlan): Promise<void> {
  for (const { paths, place } of doomed) {
    for (const path of paths) await files.remove(path);
    await removeEmptyFolders(place);
  }
}
