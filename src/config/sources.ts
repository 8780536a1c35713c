/**
 * Where settings come from, the weakest first: the `memory` key of the global and then the project's configuration
 * files, then the options that stand beside the plugin's name in the `plugin` list.
 */
import type { ParseError } from "jsonc-parser";
import { formatError } from "../error.js";
import { isRecord } from "../records.js";
import type { Files } from "../seams/files.js";

export interface Source {
  /** File as a message names it. */
  file: string;
  /** What stands before a setting's own name: `memory`, or nothing in the plugin options. */
  prefix: string;
  settings: unknown;
}

export interface Sources {
  found: Source[];
  /** One sentence each, for people. */
  problems: string[];
}

/** Reads every file that is there. One that cannot be read or parsed is a problem and counts for nothing. */
export async function readSources(
  files: Files,
  configFiles: readonly string[],
  options: Record<string, unknown> | undefined,
): Promise<Sources> {
  const sources: Sources = { found: [], problems: [] };
  let optionsFile: string | undefined;
  const texts = await Promise.all(configFiles.map((path) => readText(files, path)));
  for (const [index, path] of configFiles.entries()) {
    const text = texts[index];
    if (text === undefined) continue;
    const parsed = text instanceof Error ? formatError(text) : await parseConfig(text);
    if (typeof parsed === "string") {
      sources.problems.push(`${path} cannot be read: ${parsed}. None of its settings is used.`);
      continue;
    }
    if (parsed.memory !== undefined)
      sources.found.push({ file: path, prefix: "memory", settings: parsed.memory });
    if (options && namesOptions(parsed.plugin, options)) optionsFile = path;
  }
  if (options && Object.keys(options).length > 0) {
    sources.found.push({ file: optionsFile ?? "plugin options", prefix: "", settings: options });
  }
  return sources;
}

/** The object in a configuration file, or a sentence on why there is none. Comments and trailing commas are allowed. */
export async function parseConfig(text: string): Promise<Record<string, unknown> | string> {
  const value = parsePlainJson(text) ?? (await parseJsonWithComments(text));
  if (value instanceof Error) return value.message;
  return isRecord(value) ? value : "an object is expected at the top";
}

/** Most files are plain JSON, for which the parser at hand will do; `undefined` for all others. */
function parsePlainJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function parseJsonWithComments(text: string): Promise<unknown> {
  const { parse, printParseErrorCode } = await import("jsonc-parser");
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  const [error] = errors;
  if (!error) return value ?? {};
  const line = text.slice(0, error.offset).split("\n").length;
  return new Error(`line ${line} is not valid JSON (${printParseErrorCode(error.error)})`);
}

/** The text of a file, `undefined` when there is none, or why it cannot be read. */
export async function readText(files: Files, path: string): Promise<string | Error | undefined> {
  try {
    const contents = await files.read(path);
    return contents && new TextDecoder().decode(contents);
  } catch (thrown) {
    return thrown instanceof Error ? thrown : new Error(String(thrown));
  }
}

/** Do these options stand in this `plugin` list? The host hands them over without saying from which file. */
function namesOptions(plugins: unknown, options: Record<string, unknown>): boolean {
  if (!Array.isArray(plugins)) return false;
  const wanted = JSON.stringify(options);
  return plugins.some((entry) => Array.isArray(entry) && JSON.stringify(entry[1]) === wanted);
}
