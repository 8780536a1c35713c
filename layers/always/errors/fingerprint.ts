/** What makes two failing calls the same, and two messages alike. */
import { stripVTControlCharacters } from "node:util";
import { readInput, readText } from "../../../src/conversation/call.js";
import type { ToolPart } from "../../../src/conversation/message.js";
import { hashText } from "../../../src/conversation/outcome.js";

/** What a call is given besides what it is about. */
const BESIDE_THE_POINT = new Set(["description", "timeout"]);
const ID_CHARACTERS = 8;

/** Of an argument the beginning; of a message the end, which says what went wrong. */
const LOOKED_AT = 4_000;

/** The same for the same tool and arguments, wherever the project lies and however they are spaced. */
export function hashCall(part: ToolPart, project: string, redact: (text: string) => string): string {
  const input = readInput(part);
  const fields = Object.keys(input)
    .filter((name) => !BESIDE_THE_POINT.has(name))
    .sort()
    .map(
      (name) =>
        `${name}=${shorten(typeof input[name] === "string" ? input[name] : JSON.stringify(input[name]))}`,
    );
  const command = part.tool === "bash" ? readText(input, "command") : undefined;
  const asked =
    command === undefined
      ? fields.join("\n")
      : `${readText(input, "workdir") ?? ""}\n${shorten(normalizeCommand(command, project))}`;
  const anywhere = redact(asked.replaceAll(`${project}/`, ""));
  return hashText(`${part.tool} ${anywhere}`).slice(0, ID_CHARACTERS);
}

/** A file that is written as a whole is known by its beginning and its length. */
const shorten = (text = ""): string =>
  `${text.slice(0, LOOKED_AT)}${text.length > LOOKED_AT ? text.length : ""}`;

/** A script of a megabyte that is given as a command is known by its beginning and its length. */
const LONGEST_COMMAND = 20_000;

/** The command without a first step into the project, where it is anyway, and with single spaces. */
export function normalizeCommand(command: string, project: string): string {
  const rest = command.length > LONGEST_COMMAND ? ` (${command.length} characters)` : "";
  const line = `${command.slice(0, LONGEST_COMMAND).replace(/\s+/g, " ").trim()}${rest}`;
  const steps = [project, `${project}/`, `"${project}"`, `'${project}'`].map((path) => `cd ${path} && `);
  const step = steps.find((one) => line.startsWith(one));
  return step === undefined ? line : line.slice(step.length);
}

/** The same for messages that differ only in what differs each time. */
export function hashMessage(text: string): string {
  return hashText(normalizeMessage(text)).slice(0, ID_CHARACTERS);
}

/** Numbers, times, hashes, ids and the places of files are taken out, and so are case and spacing. */
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
