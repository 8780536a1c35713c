/** Names of tools and their arguments: OpenCode 2's to those that layers know, and back. Pure. */
import { isRecord, type PlainRecord } from "../../base/records.js";
import { RENAMED_TOOLS } from "./contract.js";

/** Arguments that have another name in OpenCode 1: by tool, OpenCode 2's and that. */
const RENAMED_ARGUMENTS: Readonly<Record<string, readonly [theirs: string, ours: string]>> = {
  read: ["path", "filePath"],
  edit: ["path", "filePath"],
  write: ["path", "filePath"],
  skill: ["id", "name"],
  subagent: ["agent", "subagent_type"],
};

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
  const [theirs, ours] = findRenamed(name);
  return ours in input ? input : rename(input, theirs, ours);
}

/** The inverse of `readInput`, for arguments that a layer has changed. */
export function writeInput(name: string, input: PlainRecord, original: unknown): PlainRecord {
  const [theirs, ours] = findRenamed(name);
  const wasRenamed = isRecord(original) && !(ours in original);
  return wasRenamed && !(theirs in input) ? rename(input, ours, theirs) : input;
}

const findRenamed = (name: string): readonly [theirs: string, ours: string] =>
  (Object.hasOwn(RENAMED_ARGUMENTS, name) && RENAMED_ARGUMENTS[name]) || ["", ""];

/** Keeps the order of the keys, which is part of the request's bytes. */
function rename(input: PlainRecord, from: string, to: string): PlainRecord {
  if (!Object.hasOwn(input, from)) return input;
  return Object.fromEntries(Object.entries(input).map(([key, value]) => [key === from ? to : key, value]));
}
