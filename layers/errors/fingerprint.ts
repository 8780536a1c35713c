/** Hashes that are equal for the same failing call, and for similar messages. */
import { stripVTControlCharacters } from "node:util";
import { readInput, readText } from "../../src/conversation/call.js";
import type { ToolPart } from "../../src/conversation/message.js";
import { hashText } from "../../src/conversation/outcome.js";

/** Arguments that do not change what a call does. */
const IRRELEVANT_FIELDS = new Set(["description", "timeout"]);
const ID_CHARACTERS = 8;

/** Characters used: the beginning of an argument; the end of a message, which says what went wrong. */
const LOOKED_AT = 4_000;

/** Equal for the same tool and arguments, regardless of the project's path and of spacing. */
export function hashCall(part: ToolPart, project: string, redact: (text: string) => string): string {
  return hashInput({ tool: part.tool, input: readInput(part) }, { project, redact });
}

interface CallInput {
  tool: string;
  input: Readonly<Record<string, unknown>>;
}

/** The same for a call that has not run yet. */
export function hashInput(
  { input, tool }: CallInput,
  { project, redact }: { project: string; redact(text: string): string },
): string {
  const fields = Object.keys(input)
    .filter((name) => !IRRELEVANT_FIELDS.has(name))
    .sort()
    .map(
      (name) =>
        `${name}=${shorten(typeof input[name] === "string" ? input[name] : JSON.stringify(input[name]))}`,
    );
  const command = tool === "bash" ? readText(input, "command") : undefined;
  const asked =
    command === undefined
      ? fields.join("\n")
      : `${readText(input, "workdir") ?? ""}\n${shorten(normalizeCommand(command, project))}`;
  const anywhere = redact(asked.replaceAll(`${project}/`, ""));
  return hashText(`${tool} ${anywhere}`).slice(0, ID_CHARACTERS);
}

/** Represents a long text, such as a whole file, by its beginning and length. */
const shorten = (text = ""): string =>
  `${text.slice(0, LOOKED_AT)}${text.length > LOOKED_AT ? text.length : ""}`;

/** In characters; a longer command is represented by its beginning and length. */
const LONGEST_COMMAND = 20_000;

/** The command with single spaces, and without a leading `cd` into the project, where it runs anyway. */
export function normalizeCommand(command: string, project: string): string {
  const rest = command.length > LONGEST_COMMAND ? ` (${command.length} characters)` : "";
  const line = `${command.slice(0, LONGEST_COMMAND).replace(/\s+/g, " ").trim()}${rest}`;
  const steps = [project, `${project}/`, `"${project}"`, `'${project}'`].map((path) => `cd ${path} && `);
  const step = steps.find((one) => line.startsWith(one));
  return step === undefined ? line : line.slice(step.length);
}

/** Equal for messages that differ only in numbers, times, hashes, ids and paths. */
export function hashMessage(text: string): string {
  return hashText(normalizeMessage(text)).slice(0, ID_CHARACTERS);
}

/** Replaces numbers, times, hashes, ids and paths, and removes case and spacing. */
export function normalizeMessage(text: string): string {
  return stripVTControlCharacters(text.slice(-LOOKED_AT))
    .toLowerCase()
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "#")
    .replace(/\b[a-z]:\\[^\s"'<>|]+|(?<![\w.])~?\/[\w.@+~#-]+(\/[\w.@+~#:-]*)*/g, "/")
    .replace(/\b0x[0-9a-f]+\b|\b(?=[a-f]*\d)[0-9a-f]{6,}\b/g, "#")
    .replace(/\d+([.,:_-]\d+)*/g, "#")
    .replace(/#(t#)?(\s?(ms|s|m|h|kb|mb|gb|b|am|pm|z|utc)\b)?/g, "#")
    .replace(/\s+/g, " ")
    .trim();
}
