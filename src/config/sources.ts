/**
 * Where settings come from, the weakest first: the `memory` key of the global and then the project's configuration
 * files, then the options that stand beside the plugin's name in the `plugin` list: those in the user's own files, and
 * those that the host has handed over. Of several entries the host hands over the last one's alone, so without the
 * former a project that only names the plugin would undo what the user has set.
 */

import type { PlainRecord } from "../records.js";
import type { Files } from "../seams/files.js";
import type { ConfigFile, Origin } from "../seams/host.js";
import { type ParsedFile, readConfigFiles } from "./config-files.js";
import { findModelClaims, type ModelClaims } from "./model-claims.js";
import { findPluginEntries, isStrata } from "./plugin-entries.js";

export interface Source {
  /** File as a message names it. */
  file: string;
  origin: Origin;
  /** The prefix of a setting's name: `memory`, or empty in the plugin options. */
  prefix: string;
  settings: unknown;
}

export interface Sources {
  found: Source[];
  /** One sentence each, for people. */
  problems: string[];
  /** The file of the user's own that a message sends people to. */
  usersFile: string;
  claims: ModelClaims;
}

/** Reads every file that is there. One that cannot be read or parsed is a problem and counts for nothing. */
export async function readSources(
  files: Files,
  configFiles: readonly ConfigFile[],
  options: PlainRecord | undefined,
): Promise<Sources> {
  const { parsed, problems } = await readConfigFiles(files, configFiles);
  const found: Source[] = [];
  for (const { contents, origin, path } of parsed) {
    if (contents.memory !== undefined)
      found.push({ file: path, origin, prefix: "memory", settings: contents.memory });
  }
  const handed = options && Object.keys(options).length > 0 ? [placeOptions(options, parsed)] : [];
  const users = await readUsersOptions(files, parsed);
  found.push(...users.filter(({ settings }) => !isSame(settings, options)), ...handed);
  return { found, problems, usersFile: findUsersFile(parsed, configFiles), claims: findModelClaims(parsed) };
}

/** Options beside this plugin's name in files of the user's own. */
async function readUsersOptions(files: Files, parsed: readonly ParsedFile[]): Promise<Source[]> {
  const own = parsed.filter(({ contents, origin }) => origin === "user" && listOptions(contents).length > 0);
  const entries = (await findPluginEntries(files, own)).filter(isStrata);
  return entries.flatMap(({ file, options, origin }) =>
    options ? [{ file, origin, prefix: "", settings: options }] : [],
  );
}

/**
 * Whose are the options that the host has handed over? It does not say from which file. Those that stand in one of the
 * user's are the user's, all others are the project's, even where they cannot be found.
 */
function placeOptions(options: PlainRecord, parsed: readonly ParsedFile[]): Source {
  const having = parsed.filter(({ contents }) => listOptions(contents).some((one) => isSame(one, options)));
  const place = having.findLast(({ origin }) => origin === "user") ?? having.at(-1);
  const { origin = "project", path: file = "plugin options" } = place ?? {};
  return { file, origin, prefix: "", settings: options };
}

/** The options beside names in a `plugin` list. */
function listOptions({ plugin }: PlainRecord): unknown[] {
  if (!Array.isArray(plugin)) return [];
  return plugin.flatMap((entry) => (Array.isArray(entry) && entry.length > 1 ? [entry[1]] : []));
}

/** The user's first file that is there, else the one that people usually make. */
function findUsersFile(parsed: readonly ParsedFile[], configFiles: readonly ConfigFile[]): string {
  const isFile = ({ origin, text }: ConfigFile): boolean => origin === "user" && text === undefined;
  const usual = configFiles.find((file) => isFile(file) && file.path.endsWith("opencode.json"));
  return (parsed.find(isFile) ?? usual)?.path ?? "the global opencode.json";
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
