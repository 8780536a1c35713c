/** What OpenCode loads when it follows the configuration: the entry, and the package on the disk that it leads to. */
import { dirname, join } from "node:path";
import { parseConfig, readText } from "../../config/config-files.js";
import { isStrata, PACKAGE, type PluginEntry, resolveSpec } from "../../config/plugin-entries.js";
import { isRecord, type PlainRecord } from "../../records.js";
import type { Surroundings } from "../command.js";
import { type Finding, problem } from "./finding.js";

/** An entry that has OpenCode load this plugin. */
export interface Configured {
  /** As it is given to an OpenCode that works elsewhere: a path is absolute. */
  spec: string;
  /** For people: `"./strata" in /project/opencode.json`. */
  place: string;
  /** OpenCode installs it; else it is loaded from where it lies. */
  isPackage: boolean;
}

/** What is on the disk of it. */
export interface OnDisk {
  /** The folder of the package. Absent where OpenCode has yet to install it. */
  folder?: string;
  version?: string;
  /** Why OpenCode cannot load it, where that is certain without trying. */
  flaw?: Finding;
  /** The folder of OpenCode's in which it has installed it. */
  cached?: string;
}

type Place = Pick<Surroundings, "env" | "files" | "home">;

/** How far a file such as dist/plugin.js may lie below its manifest. */
const MOST_STEPS = 4;

/** The entry whose options count; without one, a file of the folders that OpenCode loads plugins from by itself. */
export function findConfigured(
  plugins: readonly PluginEntry[],
  local: readonly string[],
): Configured | undefined {
  const entry = plugins.findLast(isStrata) ?? plugins.findLast(isMeant);
  if (entry) {
    const { file, spec } = entry;
    const path = resolveSpec(spec, dirname(file));
    return { spec: path ?? spec, place: `"${spec}" in ${file}`, isPackage: path === undefined };
  }
  const [path] = local;
  return path === undefined ? undefined : { spec: path, place: path, isPackage: false };
}

/** An archive of this package is no package by its path, but it is plain what is meant. */
export const isMeant = ({ spec }: Pick<PluginEntry, "spec">): boolean =>
  isArchive(spec) && spec.includes(`${PACKAGE}-`);

const isArchive = (path: string): boolean => /\.(tgz|tar\.gz)$/.test(path);

/** Looks at what the entry leads to. */
export function readOnDisk(place: Place, configured: Configured): Promise<OnDisk> {
  return configured.isPackage ? readCached(place, configured) : readPath(place, configured);
}

/** OpenCode installs each spec once, and goes by the lock file in its folder from then on. */
async function readCached({ env, files, home }: Place, { place, spec }: Configured): Promise<OnDisk> {
  const caches = env.XDG_CACHE_HOME || join(home, ".cache");
  const cached = join(caches, "opencode", "packages", spec === PACKAGE ? `${PACKAGE}@latest` : spec);
  if (!(await exists(files, join(cached, "package-lock.json")))) return {};
  const folder = join(cached, "node_modules", PACKAGE);
  const version = (await readManifest(files, folder))?.version;
  if (typeof version === "string") return { cached, folder, version };
  const what = `${place}: OpenCode takes it to be installed in ${cached}, but there is no ${PACKAGE} in it`;
  return { cached, flaw: problem(what, `delete ${cached} and start OpenCode anew, which installs it again`) };
}

async function readPath({ files }: Place, { place, spec: path }: Configured): Promise<OnDisk> {
  const stat = await files.stat(path).catch(() => undefined);
  if (isArchive(path)) {
    const todo = `write it as "${PACKAGE}@file:${path}"`;
    return { flaw: problem(`${place} is an archive, and OpenCode loads none by its path`, todo) };
  }
  if (!stat) {
    const todo = "name the folder that the package is in, or the package: strata init";
    return { flaw: problem(`${place}: there is no ${path}, so OpenCode does not load the plugin`, todo) };
  }
  if (stat.kind !== "folder") return readAbove(files, path);
  const manifest = await readManifest(files, path);
  if (!manifest) return { folder: path };
  const onDisk = { folder: path, ...readVersionOf(manifest) };
  const main = findMain(manifest);
  if (main === undefined || (await exists(files, join(path, main)))) return onDisk;
  const what = `${place}: there is no ${join(path, main)}, so OpenCode cannot load the plugin: it was not built`;
  return { ...onDisk, flaw: problem(what, `npm ci && npm run build, in ${path}`) };
}

/** The package that a file belongs to. */
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

/** The file that OpenCode loads. It does not look at `exports["."]`, and says nothing where there is no `main`. */
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
