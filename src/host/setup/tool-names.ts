/** Names of tools and their arguments: OpenCode 2's to those that layers know, and back. Pure. */
import { isRecord, type PlainRecord } from "../../records.js";
import { RENAMED_TOOLS } from "./contract.js";

/** The tools whose argument `path` is `filePath` in OpenCode 1. */
const WITH_FILE = new Set(["read", "edit", "write"]);

/** `shell` → `bash`; other names stay. */
export function readToolName(name: string): string {
  return Object.hasOwn(RENAMED_TOOLS, name) ? (RENAMED_TOOLS[name] ?? name) : name;
}

/** `bash` → `shell`; other names stay. */
export function writeToolName(name: string): string {
  return Object.entries(RENAMED_TOOLS).find(([, ours]) => ours === name)?.[0] ?? name;
}

/** The call's arguments as layers know them; the same object if nothing differs. */
export function readInput(name: string, input: PlainRecord): PlainRecord {
  return WITH_FILE.has(name) && !("filePath" in input) ? rename(input, "path", "filePath") : input;
}

/** The inverse of `readInput`, for arguments that a layer has changed. */
export function writeInput(name: string, input: PlainRecord, original: unknown): PlainRecord {
  const wasRenamed = WITH_FILE.has(name) && isRecord(original) && !("filePath" in original);
  return wasRenamed && !("path" in input) ? rename(input, "filePath", "path") : input;
}

/** Keeps the order of the keys, which is part of the request's bytes. */
function rename(input: PlainRecord, from: string, to: string): PlainRecord {
  if (!Object.hasOwn(input, from)) return input;
  return Object.fromEntries(Object.entries(input).map(([key, value]) => [key === from ? to : key, value]));
}
