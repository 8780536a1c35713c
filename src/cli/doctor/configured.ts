/** What OpenCode loads according to the configuration: the entry, and the package on disk that it names. */
import { dirname, join } from "node:path";
import { isRecord, type PlainRecord } from "../../base/shape.js";
import { parseConfig, readText } from "../../config/config-files.js";
import {
  findInstalledFile,
  isArchive,
  isStrata,
  PACKAGE,
  type PluginEntry,
  resolveSpec,
} from "../../config/plugin-entries.js";
import type { CliContext } from "../../operations/command.js";
import { type Finding, fine, note, problem, warning } from "../../operations/doctor/machine.js";
import type { Folders } from "../../project/folders.js";
import { readCallRecords } from "../../status/status.js";

/** An entry that makes OpenCode load this plugin. */
export interface Configured {
  /** A package, or an absolute path. */
  spec: string;
  /** For people: `"./strata" in /project/opencode.json`. */
  place: string;
  /** OpenCode installs it; otherwise it loads it from its path. */
  isPackage: boolean;
}

/** Its package on disk. */
export interface OnDisk {
  /** The package's folder; absent until OpenCode has installed it. */
  folder?: string;
  version?: string;
  /** Why OpenCode cannot load it, if that is certain without trying. */
  fault?: Finding;
  /** OpenCode's folder in which it is installed. */
  cached?: string;
}

type Place = Pick<CliContext, "env" | "files" | "home">;

/** How many folders above a file such as dist/plugin.js its package.json may be. */
const MOST_STEPS = 4;

/** The entry whose options count, else a file in a folder from which OpenCode loads plugins by itself. */
export function findConfigured(
  plugins: readonly PluginEntry[],
  local: readonly string[],
): Configured | undefined {
  const entry = plugins.findLast(isStrata);
  if (entry) {
    const { file, spec } = entry;
    const path = resolveSpec(spec, dirname(file));
    return { spec: path ?? spec, place: `"${spec}" in ${file}`, isPackage: path === undefined };
  }
  const [path] = local;
  return path === undefined ? undefined : { spec: path, place: path, isPackage: false };
}

/** The entry by which OpenCode 2 removes the plugin. One before an entry of the plugin has no effect. */
export function findRemoval(plugins: readonly PluginEntry[]): PluginEntry | undefined {
  const last = plugins.findLast((entry) => isStrata(entry) || isRemoval(entry));
  return last && isRemoval(last) ? last : undefined;
}

const isRemoval = ({ spec }: PluginEntry): boolean => spec === `-${PACKAGE}` || spec === "-*";

/** `isSecond`: OpenCode 2 loads it. */
export async function readOnDisk(place: Place, configured: Configured, isSecond: boolean): Promise<OnDisk> {
  if (configured.isPackage) {
    const onDisk = await readCached(place, configured, isSecond);
    const path = findInstalledFile(configured.spec);
    if (onDisk.cached !== undefined || !path?.startsWith("/")) return onDisk;
    return (await exists(place.files, path)) ? onDisk : { fault: describeAbsent(configured, path) };
  }
  const onDisk = await readPath(place, configured);
  const fault = onDisk.fault ?? (isSecond ? await findPassedOver(place, configured) : undefined);
  return { ...onDisk, ...(fault && { fault }) };
}

/** OpenCode 2 says nothing of a path that it passes over. A file counts in its own folders for plugins only. */
async function findPassedOver(
  { files }: Place,
  { place, spec: path }: Configured,
): Promise<Finding | undefined> {
  const todo = `name the folder of ${PACKAGE}, which has server.js and tui.js`;
  const isFolder = (await files.stat(path).catch(() => undefined))?.kind === "folder";
  if (!isFolder)
    return path === place ? undefined : problem(`${place} is a file: OpenCode 2 loads folders only`, todo);
  const names = await files.list(path);
  if (names.some((name) => ENTRY.test(name))) return undefined;
  return problem(
    `${place} has neither server.js nor index.js, so OpenCode 2 passes it over without a word`,
    todo,
  );
}

/** What OpenCode 2 looks for in a plugin's folder: a file or a folder. */
const ENTRY = /^(server|index)(\.[cm]?[jt]sx?)?$/;

/**
 * OpenCode installs each spec once. After that the lock file in its folder tells OpenCode 1 that it has; OpenCode 2 looks
 * for the package itself, in the newest of that folder's folders, which are named after the time.
 */
async function readCached(
  { env, files, home }: Place,
  { place, spec }: Configured,
  isSecond: boolean,
): Promise<OnDisk> {
  const caches = join(env.XDG_CACHE_HOME || join(home, ".cache"), "opencode", isSecond ? "npm" : "packages");
  const cached = join(caches, spec === PACKAGE ? `${PACKAGE}@latest` : spec);
  if (!isSecond && !(await exists(files, join(cached, "package-lock.json")))) return {};
  const times = isSecond ? (await files.list(cached)).filter((name) => /^\d+$/.test(name)) : [];
  const newest = times.toSorted((a, b) => Number(a) - Number(b)).at(-1) ?? "";
  const folder = join(cached, newest, "node_modules", PACKAGE);
  const version = (await readManifest(files, folder))?.version;
  if (typeof version === "string") return { cached, folder, version };
  if (isSecond) return {};
  const what = `${place}: OpenCode considers it installed in ${cached}, but ${PACKAGE} is not there`;
  return { cached, fault: problem(what, `delete ${cached} and restart OpenCode, which installs it again`) };
}

async function readPath({ files }: Place, { place, spec: path }: Configured): Promise<OnDisk> {
  const stat = await files.stat(path).catch(() => undefined);
  if (isArchive(path)) {
    const todo = `write it as "${PACKAGE}@file:${path}"`;
    return { fault: problem(`${place} is an archive, which OpenCode cannot load by its path`, todo) };
  }
  if (!stat) return { fault: describeAbsent({ place }, path) };
  if (stat.kind !== "folder") return readAbove(files, path);
  const manifest = await readManifest(files, path);
  if (!manifest) return { folder: path };
  const onDisk = { folder: path, ...readVersionOf(manifest) };
  const main = findMain(manifest);
  if (main === undefined || (await exists(files, join(path, main)))) return onDisk;
  const what = `${place}: ${join(path, main)} does not exist, so OpenCode cannot load the plugin: it was not built`;
  return { ...onDisk, fault: problem(what, `run npm ci && npm run build in ${path}`) };
}

const describeAbsent = ({ place }: Pick<Configured, "place">, path: string): Finding =>
  problem(
    `${place}: ${path} does not exist, so OpenCode does not load the plugin`,
    "name the folder of the package, or the package itself: strata init",
  );

/** The package of a file. */
async function readAbove(files: Place["files"], path: string): Promise<OnDisk> {
  let folder = dirname(path);
  for (let steps = 0; steps < MOST_STEPS; folder = dirname(folder), steps++) {
    const manifest = await readManifest(files, folder);
    if (manifest?.name === PACKAGE) return { folder, ...readVersionOf(manifest) };
    if (manifest) break;
  }
  return {};
}

const readVersionOf = ({ version }: PlainRecord): { version?: string } =>
  typeof version === "string" ? { version } : {};

/** The file that OpenCode loads. It ignores `exports["."]`, and reports nothing if there is no `main`. */
function findMain({ exports, main }: PlainRecord): string | undefined {
  const own = isRecord(exports) ? exports["./server"] : undefined;
  const named = isRecord(own) ? (own.import ?? own.default) : own;
  if (typeof named === "string") return named;
  return typeof main === "string" ? main : undefined;
}

async function readManifest(files: Place["files"], folder: string): Promise<PlainRecord | undefined> {
  const text = await readText(files, join(folder, "package.json"));
  const manifest = typeof text === "string" ? await parseConfig(text) : undefined;
  return isRecord(manifest) ? manifest : undefined;
}

const exists = async (files: Place["files"], path: string): Promise<boolean> =>
  (await files.stat(path).catch(() => undefined)) !== undefined;

/* Which version of the plugin OpenCode loads, and when it last did so in the project. */

export interface Versions {
  configured: Configured;
  onDisk: OnDisk;
  /** Reported by the plugin that the proof loaded; absent if it loaded none. */
  proved: string | undefined;
  /** This command line's. */
  own: string;
}

/** A running plugin writes its call counts once a minute. */
const ALIVE_MS = 180_000;

/** Compares the version that is loaded, that of its package.json, and this command line's. */
export function checkVersions({ configured, onDisk, own, proved }: Versions): Finding[] {
  const version = proved ?? onDisk.version;
  const from = onDisk.folder ?? configured.place;
  if (version === undefined) return [];
  if (onDisk.version !== undefined && version !== onDisk.version)
    return [
      warning(
        `OpenCode runs ${PACKAGE} ${version}, but the package.json in ${from} says ${onDisk.version}`,
        `run npm run build in ${from}`,
      ),
    ];
  if (version === own) return [fine(`OpenCode loads ${PACKAGE} ${version} from ${from}`)];
  const todo = onDisk.cached
    ? `to update it, delete ${onDisk.cached} and restart OpenCode, which does not look for new versions by itself`
    : "use the strata of that version, or name this version in the configuration";
  return [
    warning(`OpenCode loads ${PACKAGE} ${version} from ${from}, but this command line is ${own}`, todo),
  ];
}

/** When OpenCode last loaded it, and whether that was the version configured now. */
export async function checkLoaded(
  { clock, files }: Pick<CliContext, "clock" | "files">,
  { log, project, calls }: Folders,
  version: string | undefined,
): Promise<Finding> {
  const last = (await readCallRecords(files, calls).catch(() => [])).at(-1);
  if (!last) {
    const stat = await files.stat(log).catch(() => undefined);
    const since = stat ? `since ${formatTime(stat.modifiedMs)}` : "yet";
    return note(
      `OpenCode has not loaded ${PACKAGE} in ${project} ${since}`,
      "start OpenCode there, or restart it: it reads its configuration only at the start",
    );
  }
  const seen = `OpenCode last loaded ${PACKAGE} ${last.version} in ${project} at ${formatTime(last.startedMs)}`;
  if (version === undefined || last.version === version) return fine(seen);
  const what = `${seen}, but not yet ${version}, which is configured now`;
  const isRunning = !last.hasEnded && clock.now() - last.writtenMs < ALIVE_MS;
  return (isRunning ? warning : note)(what, "restart OpenCode: it keeps what it loaded at its start");
}

/** `2026-11-21 09:15 UTC` */
export function formatTime(timeMs: number): string {
  const time = new Date(timeMs);
  if (Number.isNaN(time.getTime())) return "an unknown time";
  return `${time.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
