/** OpenCode's configuration files, and the entries of their `plugin` lists: this plugin and others. */
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { ParseError } from "jsonc-parser";
import { formatError } from "../base/error.js";
import { formatCount } from "../base/format.js";
import { isRecord, type PlainRecord, parseJson } from "../base/shape.js";
import { type Files, readText } from "../io/files.js";
import type { ConfigFile, Models, Origin } from "../io/host.js";

export const PACKAGE = "opencode-strata";

/** OpenCode 1 reads the first one alone, OpenCode 2 both. */
export type PluginList = "plugin" | "plugins";

export interface PluginEntry {
  file: string;
  origin: Origin;
  /** As written there: a package name, a folder or a file. */
  spec: string;
  list: PluginList;
  options?: Record<string, unknown>;
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
async function findPluginEntries(files: Files, parsed: readonly ParsedFile[]): Promise<PluginEntry[]> {
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
    const { name } = await readManifest(files, place);
    if (typeof name === "string" && (name === PACKAGE || !isFolder || place === top)) return name;
  }
  return basename(path);
}

/** A folder's package.json; empty if there is none that can be read. */
export async function readManifest(files: Files, folder: string): Promise<PlainRecord> {
  const text = await readText(files, join(folder, "package.json")).catch(() => undefined);
  const manifest = await parseConfig(text ?? "{}");
  return isRecord(manifest) ? manifest : {};
}

/*
 * What the configuration files say about models. The host accepts a model and its provider's address from a project's
 * file as well as from the user's own. Where Strata sends text is for the user alone to decide.
 */

export interface ModelClaims {
  users: Models;
  /** From all files merged; the host may know better. */
  all: Models;
  /** From files of the project, strongest last. */
  project: readonly Claim[];
}

/** A setting about models in a file of the project. */
export interface Claim {
  /** `model`, `small_model`, `provider.acme`, `providers.acme`, … as written in the file. */
  key: string;
  file: string;
}

/** The model that writes titles: OpenCode 2 has no other small one. */
const TITLE_MODEL = "agents.title.model";
/** Where OpenCode 1 and 2 have their providers. */
const PROVIDERS = ["provider", "providers"];
/** Keys by which the host chooses a model, in addition to each provider's. */
const CHOOSING = ["model", "small_model", "enabled_providers", "disabled_providers"];

function findModelClaims(parsed: readonly ParsedFile[]): ModelClaims {
  const project = parsed.filter(({ origin }) => origin === "project");
  return {
    users: readModels(parsed.filter(({ origin }) => origin === "user")),
    all: readModels(parsed),
    project: project.flatMap(({ contents, path: file }) => [
      ...CHOOSING.filter((key) => contents[key] !== undefined).map((key) => ({ key, file })),
      ...(findTitleModel(contents) === undefined ? [] : [{ key: TITLE_MODEL, file }]),
      ...PROVIDERS.flatMap((key) => {
        const providers = contents[key];
        return isRecord(providers) ? Object.keys(providers).map((id) => ({ key: `${key}.${id}`, file })) : [];
      }),
    ]),
  };
}

function readModels(parsed: readonly ParsedFile[]): Models {
  const main = findText(parsed, "model");
  const small =
    findText(parsed, "small_model") ??
    parsed.map(({ contents }) => findTitleModel(contents)).findLast(Boolean);
  return { ...(main !== undefined && { main }), ...(small !== undefined && { small }) };
}

function findText(parsed: readonly ParsedFile[], key: string): string | undefined {
  const value = parsed.findLast(({ contents }) => contents[key] !== undefined)?.contents[key];
  return typeof value === "string" ? value : undefined;
}

function findTitleModel({ agents }: ParsedFile["contents"]): string | undefined {
  const title = isRecord(agents) ? agents.title : undefined;
  const model = isRecord(title) ? title.model : undefined;
  return typeof model === "string" ? model : undefined;
}

/** A chosen model; without one the host chooses among all that it knows. */
export interface Chosen {
  model?: string;
  /** The key that named it, if the value is not the user's own. */
  key?: "model" | "small_model";
}

/** What the project contributed to the choice: the model's name or the provider's address. */
export function findClaimOn({ key, model }: Chosen, { project }: ModelClaims): Claim | undefined {
  if (model === undefined) return project.at(-1);
  const provider = model.split("/")[0];
  const find = (...wanted: (string | undefined)[]) => project.findLast((claim) => wanted.includes(claim.key));
  const named = key === "small_model" ? find(key, TITLE_MODEL) : find(key);
  return named ?? find(...PROVIDERS.map((of) => `${of}.${provider}`));
}

/*
 * Sources of settings, weakest first: the `memory` key of the global files, that of the project's files, the options
 * beside the plugin's name in the user's own `plugin` lists, and the options passed by the host. Of several entries the
 * host passes only the last one's options. The user's are therefore read separately: otherwise a project that merely
 * names the plugin would discard them.
 */

export interface Source {
  file: string;
  origin: Origin;
  /** Prefix of setting names: `memory`, or empty in the plugin options. */
  prefix: string;
  settings: unknown;
}

/**
 * Reads every existing file. An unreadable or invalid one is a problem and contributes nothing. `usersFile`: the user's
 * own file to which messages point.
 */
export async function readSources(
  files: Files,
  configFiles: readonly ConfigFile[],
  options: PlainRecord | undefined,
) {
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

const listOptions = (contents: PlainRecord): unknown[] =>
  listPlugins(contents).flatMap(({ options }) => (options === undefined ? [] : [options]));

/** The user's first existing file, else the usual one. */
function findUsersFile(parsed: readonly ParsedFile[], configFiles: readonly ConfigFile[]): string {
  const isFile = ({ origin, text }: ConfigFile): boolean => origin === "user" && text === undefined;
  const usual = configFiles.find((file) => isFile(file) && file.path.endsWith("opencode.json"));
  return (parsed.find(isFile) ?? usual)?.path ?? "the global opencode.json";
}

export const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/* The configuration files, with their owners and contents. */

export interface ParsedFile extends ConfigFile {
  contents: PlainRecord;
}

/** The existing files, in order, and for each unreadable one its path and a sentence. */
export async function readConfigFiles(
  files: Files,
  configFiles: readonly ConfigFile[],
): Promise<{ parsed: ParsedFile[]; problems: string[]; unreadable: string[] }> {
  const parsed: ParsedFile[] = [];
  const problems: string[] = [];
  const unreadable: string[] = [];
  const read = await Promise.all(configFiles.map((file) => readConfigFile(files, file)));
  for (const [index, contents] of read.entries()) {
    const file = configFiles[index] as ConfigFile;
    if (typeof contents === "string") {
      problems.push(`${file.path} cannot be read: ${contents}. None of its settings is used.`);
      unreadable.push(file.path);
    } else if (contents) parsed.push({ ...file, contents });
  }
  return { parsed, problems, unreadable };
}

/** Contents of a file, `undefined` if it does not exist, or a sentence that says why it cannot be read. */
async function readConfigFile(
  files: Files,
  { path, text: given }: ConfigFile,
): Promise<PlainRecord | string | undefined> {
  const text = given ?? (await readText(files, path).catch((thrown) => ({ why: formatError(thrown) })));
  if (text === undefined) return undefined;
  return typeof text === "object" ? text.why : parseConfig(text);
}

/** More than settings take; a megabyte would hold the host for a third of a second. */
const LONGEST = 250_000;

/** The object in a configuration file, or a sentence that says what is wrong. Allows comments and trailing commas. */
export async function parseConfig(text: string): Promise<Record<string, unknown> | string> {
  if (text.length > LONGEST) return `it has more than ${formatCount(LONGEST)} characters`;
  // Most files are plain JSON, for which the built-in parser is enough.
  const value = parseJson(text) ?? (await parseJsonWithComments(text));
  if (value instanceof Error) return value.message;
  return isRecord(value) ? value : "an object is expected at the top";
}

async function parseJsonWithComments(text: string): Promise<unknown> {
  const { parse, printParseErrorCode } = await import("jsonc-parser");
  const errors: ParseError[] = [];
  const options = { allowTrailingComma: true, allowEmptyContent: true };
  const value: unknown = orTooDeep(() => parse(text, errors, options));
  if (value instanceof Error) return value;
  const [error] = errors;
  if (!error) return value ?? {};
  return new Error(formatSyntaxError(text, error.offset, printParseErrorCode(error.error)));
}

/** The parser calls itself for each level: a text with thousands of them is an error like others. */
export function orTooDeep<T>(parse: () => T): T | Error {
  try {
    return parse();
  } catch (thrown) {
    if (thrown instanceof RangeError) return new Error("its lists and objects are nested too deeply");
    throw thrown;
  }
}

/** Line and column of a syntax error, and the parser's name of it in words: "close brace expected". */
export function formatSyntaxError(text: string, offset: number, code: string): string {
  const before = text.slice(0, offset).split("\n");
  const column = (before.at(-1) ?? "").length + 1;
  return `line ${before.length}, column ${column}: ${code.replace(/(?!^)[A-Z]/g, " $&").toLowerCase()}`;
}
