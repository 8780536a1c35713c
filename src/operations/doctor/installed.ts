/** The package that the configuration names: on disk, in which version, when OpenCode last loaded it, and its screen half. */
import { dirname, join } from "node:path";
import { isRecord, parseJson } from "../../base/shape.js";
import {
  findInstalledFile,
  isArchive,
  isStrata,
  PACKAGE,
  type PluginEntry,
  readManifest,
  readPluginEntries,
  resolveSpec,
} from "../../config/plugin-entries.js";
import { readText } from "../../io/files.js";
import { type Folders, findGlobalFolder, findScreenRecord, listScreenFiles } from "../../project/folders.js";
import { readCallRecords } from "../../status/status.js";
import type { CliContext } from "../command.js";
import type { Project } from "../project.js";
import { type Finding, fine, note, problem, warning } from "./machine.js";

export interface Configured {
  /** A package, or an absolute path. */
  spec: string;
  /** For people: `"./strata" in /project/opencode.json`. */
  place: string;
  /** OpenCode installs it; otherwise it loads it from its path. */
  isPackage: boolean;
}

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
type Files = CliContext["files"];

/** The entry whose options count, else a file in a folder from which OpenCode loads plugins by itself. */
export function findConfigured(
  plugins: readonly PluginEntry[],
  local: readonly string[],
): Configured | undefined {
  const entry = plugins.findLast(isStrata);
  if (entry) {
    const path = resolveSpec(entry.spec, dirname(entry.file));
    return { spec: path ?? entry.spec, place: quoteEntry(entry), isPackage: path === undefined };
  }
  const [path] = local;
  return path === undefined ? undefined : { spec: path, place: path, isPackage: false };
}

export const quoteEntry = ({ file, spec }: Pick<PluginEntry, "file" | "spec">): string =>
  `"${spec}" in ${file}`;

/** `isSecond`: OpenCode 2 loads it. */
export async function readOnDisk(at: Place, configured: Configured, isSecond: boolean): Promise<OnDisk> {
  const { files } = at;
  const { isPackage, place, spec: path } = configured;
  if (isPackage) return readCached(at, configured, isSecond);
  if (isArchive(path)) {
    const what = `${place} is an archive, which OpenCode cannot load by its path`;
    return { fault: problem(what, `write it as "${PACKAGE}@file:${path}"`) };
  }
  const kind = await findKind(files, path);
  if (!kind) {
    const what = `${place}: ${path} does not exist, so OpenCode does not load the plugin`;
    return { fault: problem(what, "name the folder of the package, or the package itself: strata init") };
  }
  const passedOver = `name the folder of ${PACKAGE}, which has server.js and tui.js`;
  if (kind !== "folder") {
    // In its own folders for plugins OpenCode 2 loads files, too.
    if (!isSecond || path === place) return {};
    return { fault: problem(`${place} is a file: OpenCode 2 loads folders only`, passedOver) };
  }
  const { main, version } = await readPackage(files, path);
  const onDisk: OnDisk = { folder: path, ...(version !== undefined && { version }) };
  if (main !== undefined && !(await findKind(files, join(path, main)))) {
    const what = `${place}: ${join(path, main)} does not exist, so OpenCode cannot load the plugin: it was not built`;
    return { ...onDisk, fault: problem(what, `run npm ci && npm run build in ${path}`) };
  }
  const isEntry = (name: string): boolean => /^(server|index)(\.[cm]?[jt]sx?)?$/.test(name);
  if (!isSecond || (await files.list(path)).some(isEntry)) return onDisk;
  const what = `${place} has neither server.js nor index.js, so OpenCode 2 ignores it without a message`;
  return { ...onDisk, fault: problem(what, passedOver) };
}

const findKind = async (files: Files, path: string): Promise<string | undefined> =>
  (await files.stat(path).catch(() => undefined))?.kind;

/** `main`: the file that OpenCode 1 loads. It ignores `exports["."]`, and reports nothing if there is no `main`. */
async function readPackage(files: Files, folder: string): Promise<{ main?: string; version?: string }> {
  const { exports, main: usual, version } = await readManifest(files, folder);
  const own = isRecord(exports) ? exports["./server"] : undefined;
  const named = isRecord(own) ? (own.import ?? own.default) : own;
  const main = typeof named === "string" ? named : usual;
  return {
    ...(typeof main === "string" && { main }),
    ...(typeof version === "string" && { version }),
  };
}

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
  if (!isSecond && !(await findKind(files, join(cached, "package-lock.json")))) return {};
  const times = isSecond ? (await files.list(cached)).filter((name) => /^\d+$/.test(name)) : [];
  const newest = times.toSorted((a, b) => Number(a) - Number(b)).at(-1) ?? "";
  const folder = join(cached, newest, "node_modules", PACKAGE);
  const { version } = await readPackage(files, folder);
  if (version !== undefined) return { cached, folder, version };
  if (isSecond) return {};
  const what = `${place}: OpenCode considers it installed in ${cached}, but ${PACKAGE} is not there`;
  return { cached, fault: problem(what, `delete ${cached} and restart OpenCode, which installs it again`) };
}

/**
 * Compares the version that is loaded, that of its package.json, and this command line's. `proved`: what the plugin says
 * that the proof has loaded, if it has.
 */
export function checkVersions(
  { place }: Configured,
  onDisk: OnDisk,
  { own, proved }: { own: string; proved: string | undefined },
): Finding[] {
  const version = proved ?? onDisk.version;
  const from = onDisk.folder ?? place;
  if (version === undefined) return [];
  if (onDisk.version !== undefined && version !== onDisk.version) {
    const what = `OpenCode runs ${PACKAGE} ${version}, but the package.json in ${from} says ${onDisk.version}`;
    return [warning(what, `run npm run build in ${from}`)];
  }
  const loads = `OpenCode loads ${PACKAGE} ${version} from ${from}`;
  if (version === own) return [fine(loads)];
  const todo = onDisk.cached
    ? `to update it, delete ${onDisk.cached} and restart OpenCode, which does not look for new versions by itself`
    : "use the strata of that version, or name this version in the configuration";
  return [warning(`${loads}, but this command line is ${own}`, todo)];
}

/** When OpenCode last loaded it, and whether that was the version configured now. */
export async function checkLoaded(
  files: Files,
  { calls, project }: Folders,
  version: string | undefined,
): Promise<Finding> {
  const last = (await readCallRecords(files, calls).catch(() => [])).at(-1);
  if (!last)
    return note(
      `OpenCode has not loaded ${PACKAGE} in ${project} within a week`,
      "start OpenCode there, or restart it: it reads its configuration only at the start",
    );
  const seen = `OpenCode last loaded ${PACKAGE} ${last.version} in ${project} at ${formatTime(last.startedMs)}`;
  if (version === undefined || last.version === version) return fine(seen);
  const what = `${seen}, but not yet ${version}, which is configured now`;
  return note(what, "restart OpenCode: it keeps what it loaded at its start");
}

/** `2026-11-21 09:15 UTC` */
export function formatTime(timeMs: number): string {
  if (Number.isNaN(new Date(timeMs).getTime())) return "an unknown time";
  return `${new Date(timeMs).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

/** Whether the TUI of OpenCode 1 loads the plugin's screen half, which has a configuration of its own. */
export async function checkScreen({ cli, root }: Project): Promise<Finding[]> {
  const { env, files, folder, home } = cli;
  const screenFiles = listScreenFiles({ directory: folder, project: root, home, env });
  const entries = (await readPluginEntries(files, screenFiles)).filter(isStrata);
  const entry = entries.at(-1);
  if (!entry) {
    const what = `no tui.json names ${PACKAGE}: OpenCode shows no sidebar, dialogs or keys of it; its commands answer as text`;
    return [note(what, "strata init")];
  }
  const specs = new Set(entries.map((one) => resolveSpec(one.spec, dirname(one.file)) ?? one.spec));
  if (specs.size > 1) {
    const what = `the sidebar is configured ${specs.size} times: ${entries.map(quoteEntry).join(", ")}`;
    return [warning(what, "keep one of them")];
  }
  if (findInstalledFile(entry.spec) !== undefined) {
    const what = `${quoteEntry(entry)} is an archive, of which OpenCode's TUI loads nothing`;
    return [warning(what, "install it with npm, then run strata init --remove and strata init")];
  }
  const text = await readText(files, findScreenRecord({ env, home })).catch(() => undefined);
  const loaded = parseJson(text ?? "");
  const own = isRecord(loaded) ? loaded[PACKAGE] : undefined;
  const configured = `the sidebar is configured, ${quoteEntry(entry)}`;
  const lastMs = isRecord(own) ? own.last_time : undefined;
  if (typeof lastMs === "number")
    return [fine(`${configured}; OpenCode's TUI last loaded it at ${formatTime(lastMs)}, in any project`)];
  const todo = "restart OpenCode: its TUI reads tui.json only at the start";
  return [note(`${configured}, but OpenCode's TUI has not loaded it yet`, todo)];
}

/** OpenCode 2 loads both halves by one entry, and at its first start copies those of a global tui.json to its cli.json. */
export async function checkScreen2({ cli }: Project): Promise<Finding[]> {
  const { files } = cli;
  const path = join(findGlobalFolder(cli), "cli.json");
  const findings: Finding[] = [];
  for (const entry of (await readPluginEntries(files, [{ path, origin: "user" }])).filter(isStrata)) {
    const target = resolveSpec(entry.spec, dirname(entry.file));
    const names = target === undefined ? undefined : await files.list(target).catch(() => []);
    if (!names || names.some((name) => /^tui(\.[cm]?[jt]sx?)?$/.test(name))) continue;
    const what = `${quoteEntry(entry)} has no tui.js, so the TUI of OpenCode 2 shows nothing of it`;
    const todo = "strata init --global --remove; the entry in opencode.json loads both halves";
    findings.push(warning(what, todo));
  }
  return findings;
}
