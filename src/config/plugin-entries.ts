/** Entries of the `plugin` lists in OpenCode's configuration files: this plugin and others. */
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { isRecord, type PlainRecord } from "../base/records.js";
import type { Files } from "../io/files.js";
import type { ConfigFile, Origin } from "../io/host.js";
import { type ParsedFile, parseConfig, readConfigFiles, readText } from "./config-files.js";

/** Name of this package. */
export const PACKAGE = "opencode-strata";

/** OpenCode 1 reads the first one alone, OpenCode 2 both. */
export type PluginList = "plugin" | "plugins";

export interface PluginEntry {
  /** The configuration file that contains it. */
  file: string;
  origin: Origin;
  /** As written there: a package name, a folder or a file. */
  spec: string;
  list: PluginList;
  options?: Record<string, unknown>;
  /** Name of the package, as far as known. */
  name: string;
}

/** All entries of all files, in order. An unreadable file has none. */
export async function readPluginEntries(
  files: Files,
  configFiles: readonly ConfigFile[],
): Promise<PluginEntry[]> {
  return findPluginEntries(files, (await readConfigFiles(files, configFiles)).parsed);
}

/** The same for files already read. */
export async function findPluginEntries(files: Files, parsed: readonly ParsedFile[]): Promise<PluginEntry[]> {
  const entries: PluginEntry[] = [];
  for (const { contents, origin, path: file } of parsed) {
    for (const { list, options, spec } of listPlugins(contents)) {
      const name = await findName(files, spec, dirname(file));
      entries.push({ file, origin, spec, list, name, ...(isRecord(options) && { options }) });
    }
  }
  return entries;
}

/**
 * The plugins of one configuration file. OpenCode 1 has `plugin: [["name", { … }]]`, OpenCode 2 also
 * `plugins: [{ package: "name", options: { … } }]`; both accept a plain name.
 */
export function listPlugins(contents: PlainRecord): { list: PluginList; spec: string; options: unknown }[] {
  return (["plugin", "plugins"] as const).flatMap((list) => {
    const all: unknown = contents[list];
    return (Array.isArray(all) ? all : []).flatMap((entry: unknown) => {
      const [spec, options]: unknown[] = isRecord(entry)
        ? [entry.package, entry.options]
        : Array.isArray(entry)
          ? entry
          : [entry];
      return typeof spec === "string" ? [{ list, spec, options }] : [];
    });
  });
}

/** Is it this plugin, in any copy? */
export const isStrata = ({ name }: { name: string }): boolean => name === PACKAGE;

/** `opencode-strata@1.2.3` → `opencode-strata`, `@scope/name@latest` → `@scope/name`. */
export function parsePackageName(spec: string): string {
  const at = spec.indexOf("@", 1);
  return at === -1 ? spec : spec.slice(0, at);
}

/**
 * The folder or file that OpenCode loads from where it is, relative to the configuration file's folder; `undefined` for a
 * malformed URL and for what it installs.
 */
export function resolveSpec(spec: string, folder: string): string | undefined {
  if (spec.startsWith("file://")) return readFileURL(spec);
  return /^(\.{0,2}\/|\.{1,2}$|[A-Za-z]:[\\/])/.test(spec) ? resolve(folder, spec) : undefined;
}

/** The archive or folder that OpenCode installs like a package: `file:/x.tgz`, `opencode-strata@file:/x.tgz`. */
export const findInstalledFile = (spec: string): string | undefined =>
  /(?:^file:(?!\/\/)|@file:)(.+)$/.exec(spec)?.[1];

export const isArchive = (path: string): boolean => /\.(tgz|tar\.gz)$/.test(path);

function readFileURL(url: string): string | undefined {
  try {
    return fileURLToPath(url);
  } catch {
    return undefined;
  }
}

/**
 * What a folder or a file in it calls itself in its package.json; without one, the folder's own name, but a folder of this
 * package such as `dist` has the package's. An archive has the name that `npm pack` gave it, up to the version.
 */
export async function findName(files: Files, spec: string, folder: string): Promise<string> {
  const installed = spec.startsWith("file:") ? findInstalledFile(spec) : undefined;
  const path = installed === undefined ? resolveSpec(spec, folder) : resolve(folder, installed);
  if (path === undefined) return parsePackageName(spec);
  if (isArchive(path)) return basename(path).replace(/-\d+\.\d+\.\d+.*$/, "");
  const isFolder = (await files.stat(path).catch(() => undefined))?.kind === "folder";
  const top = isFolder ? path : dirname(path);
  // The manifest of a file such as dist/plugin.js is in a parent folder.
  for (let place = top, steps = 0; steps < 4; place = dirname(place), steps++) {
    const text = await readText(files, join(place, "package.json"));
    const manifest = typeof text === "string" ? await parseConfig(text) : undefined;
    const name = isRecord(manifest) ? manifest.name : undefined;
    if (typeof name === "string" && (name === PACKAGE || !isFolder || place === top)) return name;
  }
  return basename(path);
}
