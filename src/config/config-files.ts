/** Reads the configuration files, with their owners and contents. */
import type { ParseError } from "jsonc-parser";
import { formatError } from "../base/error.js";
import { isRecord, type PlainRecord } from "../base/shape.js";
import type { Files } from "../io/files.js";
import type { ConfigFile } from "../io/host.js";

/** A file that exists and is readable. */
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
  const text = given ?? (await readText(files, path));
  if (text === undefined) return undefined;
  return text instanceof Error ? formatError(text) : parseConfig(text);
}

/** The object in a configuration file, or a sentence that says what is wrong. Allows comments and trailing commas. */
export async function parseConfig(text: string): Promise<Record<string, unknown> | string> {
  const value = parsePlainJson(text) ?? (await parseJsonWithComments(text));
  if (value instanceof Error) return value.message;
  return isRecord(value) ? value : "an object is expected at the top";
}

/** Most files are plain JSON, for which the built-in parser is enough; `undefined` for others. */
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
  return new Error(formatSyntaxError(text, error.offset, printParseErrorCode(error.error)));
}

/** Line and column of a syntax error, and the parser's name of it in words: "close brace expected". */
export function formatSyntaxError(text: string, offset: number, code: string): string {
  const before = text.slice(0, offset).split("\n");
  const column = (before.at(-1) ?? "").length + 1;
  return `line ${before.length}, column ${column}: ${code.replace(/(?!^)[A-Z]/g, " $&").toLowerCase()}`;
}

/** Text of a file, `undefined` if it does not exist, or the error that prevents reading it. */
export async function readText(files: Files, path: string): Promise<string | Error | undefined> {
  try {
    const contents = await files.read(path);
    return contents && new TextDecoder().decode(contents);
  } catch (thrown) {
    return thrown instanceof Error ? thrown : new Error(String(thrown));
  }
}
