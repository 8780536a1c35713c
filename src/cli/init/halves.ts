/** The package's two halves, and the files in which OpenCode 1 looks for each: it loads them apart. */
import { basename, dirname, join, relative } from "node:path";
import { readText } from "../../config/config-files.js";
import {
  isStrata,
  PACKAGE,
  type PluginEntry,
  readPluginEntries,
  resolveSpec,
} from "../../config/plugin-entries.js";
import type { Files } from "../../seams/files.js";
import { formatNewFile, planAdd, planRemove } from "./edit-plugins.js";

export interface Half {
  /** For messages. */
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

/** Where one half may be configured. */
export interface Place {
  half: Half;
  /** Files that this command may edit, the usual one first. */
  own: readonly string[];
  /** Files that it only reads. */
  elsewhere: readonly string[];
}

/** A change of one file, not yet written. */
export type Change =
  | { kind: "there"; entry: Named }
  | { kind: "write"; path: string; text: string; isNew: boolean; entry: Named }
  | { kind: "delete"; path: string }
  | { kind: "refused"; path: string; why: string };

type Named = Pick<PluginEntry, "file" | "spec">;

/** Adds the entry of one half. `plugin` is the entry of the other, which this one should agree with. */
export async function planEntry(
  files: Files,
  { elsewhere, half, own }: Place,
  { packageFolder = PACKAGE, plugin }: { packageFolder: string | undefined; plugin: Named | undefined },
): Promise<Change> {
  const [found] = await readStrata(files, [...own, ...elsewhere]);
  if (found) return { kind: "there", entry: found };
  const path = await chooseFile(files, own, plugin);
  const text = await readToEdit(files, path);
  const spec =
    (plugin && (await findSameSpec(files, path, plugin))) ?? (await chooseSpec(files, path, packageFolder));
  const edited = planAdd(text ?? "", spec, half.schema);
  if (edited.kind === "refused") return { kind: "refused", path, why: edited.why };
  const entry = { file: path, spec };
  if (edited.kind === "unchanged") return { kind: "there", entry };
  return { kind: "write", path, text: edited.text, isNew: text === undefined, entry };
}

/** Removes the entries of one half from every file; deletes a file that holds nothing else that was written there. */
export async function planRemoval(files: Files, { half, own }: Place): Promise<Change[]> {
  const entries = await readStrata(files, own);
  const changes: Change[] = [];
  for (const path of own) {
    const specs = new Set(entries.filter(({ file }) => file === path).map(({ spec }) => spec));
    const text = (await readToEdit(files, path)) ?? "";
    // A file that cannot be parsed has no entries, but may mean to have one.
    if (specs.size === 0 && !text.includes(PACKAGE)) continue;
    const edited = planRemove(text, (spec) => specs.has(spec));
    const isLink = (await files.statItself(path))?.kind !== "file";
    const isOurs = !isLink && [...specs].some((spec) => text === formatNewFile(spec, half.schema));
    if (edited.kind === "refused") changes.push({ kind: "refused", path, why: edited.why });
    else if (isOurs) changes.push({ kind: "delete", path });
    else if (edited.kind === "edited")
      changes.push({ kind: "write", path, text: edited.text, isNew: false, entry: { file: path, spec: "" } });
  }
  return changes;
}

/** The origin does not matter for finding an entry. */
const readEntries = (files: Files, paths: readonly string[]): Promise<PluginEntry[]> =>
  readPluginEntries(
    files,
    paths.map((path) => ({ path, origin: "user" })),
  );

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

/** The other half's package or folder, as written in the file at `path`; `undefined` if it loads that half only. */
async function findSameSpec(files: Files, path: string, { file, spec }: Named): Promise<string | undefined> {
  const target = resolveSpec(spec, dirname(file));
  // OpenCode 1.18.33 loads the plugin from an archive, but not its screen.
  if (target === undefined) return spec.includes("@file:") ? undefined : spec;
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

async function readToEdit(files: Files, path: string): Promise<string | undefined> {
  const text = await readText(files, path);
  if (text instanceof Error) throw text;
  return text;
}
