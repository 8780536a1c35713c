/**
 * Sources of settings, weakest first: the `memory` key of the global files, that of the project's files, the options
 * beside the plugin's name in the user's own `plugin` lists, and the options passed by the host. Of several entries the
 * host passes only the last one's options. The user's are therefore read separately: otherwise a project that merely
 * names the plugin would discard them.
 */

import type { PlainRecord } from "../base/records.js";
import type { Files } from "../io/files.js";
import type { ConfigFile, Origin } from "../io/host.js";
import { type ParsedFile, readConfigFiles } from "./config-files.js";
import { findModelClaims, type ModelClaims } from "./model-claims.js";
import { findPluginEntries, isStrata, listPlugins } from "./plugin-entries.js";

export interface Source {
  /** Name of the file in messages. */
  file: string;
  origin: Origin;
  /** Prefix of setting names: `memory`, or empty in the plugin options. */
  prefix: string;
  settings: unknown;
}

export interface Sources {
  found: Source[];
  /** Sentences for people. */
  problems: string[];
  /** The user's own file to which messages point. */
  usersFile: string;
  claims: ModelClaims;
}

/** Reads every existing file. An unreadable or invalid one is a problem and contributes nothing. */
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

/** Options beside this plugin's name in the user's own files. */
async function readUsersOptions(files: Files, parsed: readonly ParsedFile[]): Promise<Source[]> {
  const own = parsed.filter(({ contents, origin }) => origin === "user" && listOptions(contents).length > 0);
  const entries = (await findPluginEntries(files, own)).filter(isStrata);
  return entries.flatMap(({ file, options, origin }) =>
    options ? [{ file, origin, prefix: "", settings: options }] : [],
  );
}

/**
 * Finds the owner of the options passed by the host, which does not say where they come from. Options that one of the
 * user's files contains are the user's. All others count as the project's, even if no file contains them.
 */
function placeOptions(options: PlainRecord, parsed: readonly ParsedFile[]): Source {
  const having = parsed.filter(({ contents }) => listOptions(contents).some((one) => isSame(one, options)));
  const place = having.findLast(({ origin }) => origin === "user") ?? having.at(-1);
  const { origin = "project", path: file = "plugin options" } = place ?? {};
  return { file, origin, prefix: "", settings: options };
}

/** Options in the lists of plugins. */
function listOptions(contents: PlainRecord): unknown[] {
  return listPlugins(contents).flatMap(({ options }) => (options === undefined ? [] : [options]));
}

/** The user's first existing file, else the usual one. */
function findUsersFile(parsed: readonly ParsedFile[], configFiles: readonly ConfigFile[]): string {
  const isFile = ({ origin, text }: ConfigFile): boolean => origin === "user" && text === undefined;
  const usual = configFiles.find((file) => isFile(file) && file.path.endsWith("opencode.json"));
  return (parsed.find(isFile) ?? usual)?.path ?? "the global opencode.json";
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
