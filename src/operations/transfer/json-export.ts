/**
 * Memories in the JSON that other memory tools export: a list, an object with a list under a name such as `memories`, or
 * JSON Lines. From each entry, reads these fields if present:
 *
 *     text       content, memory, text, fact, body, summary, observation, error (with resolution)
 *     title      title, name, subject
 *     type       type, category, kind, also under metadata
 *     tags       tags, keywords, concepts
 *     when       created_at, createdAt, created, timestamp, date; updated_at, updatedAt, updated: ISO, or seconds or
 *                milliseconds since 1970
 *     weight     importance, confidence: 0 to 1; access_count
 *     private    sensitivity, visibility: anything but internal, public, shared or team; private: true
 *     others     aliases, entities, agent
 *
 * In such tools a model words the entries. So an entry is never a rule, preference or correction of the user's: it
 * becomes a fact, with the tool's own type as a tag. Pure.
 */
import { join } from "node:path";
import { isRecord, type PlainRecord, parseJson } from "../../base/shape.js";
import { findHint, refuseSecrets } from "../../memory/draft.js";
import { type Memory, type MemoryDraft, parseID, readTypeName, usersTypes } from "../../memory/memory.js";
import { idOf } from "../../memory/path.js";
import type { MemoryCopy } from "../../memory/store/store.js";
import type { ReadCollection } from "../memory-files.js";

/** Front matter field for where a memory came from. */
export const SOURCE_FIELD = "imported-from";

/** Names of the same field in different tools, in the order in which they count. */
const NAMES = {
  text: ["content", "memory", "text", "fact", "body", "summary", "observation", "error"],
  title: ["title", "name", "subject"],
  type: ["type", "category", "kind"],
  created: ["created_at", "createdAt", "created", "timestamp", "date"],
  updated: ["updated_at", "updatedAt", "updated"],
} as const;
const LISTS = ["memories", "items", "results", "entries", "records", "observations", "data"];
const OPEN = ["internal", "public", "shared", "team"];
const MOST_WORDS = 12;
/** Smaller numbers are seconds: 1e11 ms is 1973, 1e11 s is 5138. */
const LEAST_MS = 1e11;

/** `undefined` if the text is not such JSON. The memories record `source`. `without`: entries that have no text. */
export function readJsonExport(
  text: string,
  source: { name: string; scope?: MemoryDraft["scope"] },
): { drafts: MemoryDraft[]; without: number } | undefined {
  const whole = parseJson(text.replace(/^\uFEFF/, ""));
  const lines = whole === undefined ? text.split("\n").map(parseJson) : [];
  const list = whole === undefined ? lines : (findList(whole) ?? [whole]);
  const entries = list.filter(isRecord);
  if (entries.length === 0 && !Array.isArray(whole)) return undefined;
  const drafts = entries.flatMap((entry) => planDraft(entry, source) ?? []);
  return { drafts, without: entries.length - drafts.length };
}

/** The list itself, or one in it under a name such as `memories`, also below `data`. */
function findList(whole: unknown): unknown[] | undefined {
  if (Array.isArray(whole)) return whole;
  if (!isRecord(whole)) return undefined;
  return LISTS.map((name) => whole[name]).find(Array.isArray) ?? findList(whole.data);
}

function planDraft(
  entry: PlainRecord,
  { name, scope }: { name: string; scope?: MemoryDraft["scope"] },
): MemoryDraft | undefined {
  const metadata = isRecord(entry.metadata) ? entry.metadata : {};
  const { resolution } = entry;
  const said = findText(entry, NAMES.text);
  if (said === undefined) return undefined;
  const content = isText(resolution) ? `${said}\n\nResolution: ${resolution}` : said;
  const title = findText(entry, NAMES.title);
  const word = findText(entry, NAMES.type) ?? findText(metadata, NAMES.type);
  const named = readTypeName(word?.toLowerCase());
  const type = named === undefined || usersTypes.has(named) ? "knowledge" : named;
  const { extra, tags = [], ...shared } = readSharedFields({ ...metadata, ...entry });
  const allTags = [...new Set([...tags, ...(word !== undefined && word !== type ? [word] : [])])];
  return {
    ...{ type, content, ...shared },
    ...(title !== undefined && title !== content && { title }),
    ...(allTags.length > 0 && { tags: allTags.slice(0, MOST_WORDS) }),
    ...(scope !== undefined && { scope }),
    provenance: { by: "tool", how: "imported" },
    extra: { ...extra, [SOURCE_FIELD]: name },
  };
}

type SharedFields = Partial<Omit<MemoryDraft, "type" | "content" | "title" | "provenance">>;

/** The fields that other tools have as well. A sensitivity that is not known to be open counts as private. */
export function readSharedFields(entry: PlainRecord): SharedFields {
  const { access_count, agent, confidence, importance } = entry;
  const level = entry.sensitivity ?? entry.visibility;
  const isPrivate = entry.private === true || (isText(level) && !OPEN.includes(level.trim().toLowerCase()));
  const fields: SharedFields = {
    extra: {
      ...(isText(agent) && { agent }),
      ...(isShare(confidence) && { confidence }),
      ...(Number.isSafeInteger(access_count) && { access_count }),
    },
  };
  const words = {
    tags: [entry.tags, entry.keywords, entry.concepts],
    aliases: [entry.aliases],
    entities: [entry.entities],
  };
  for (const [name, given] of Object.entries(words)) {
    const texts = [...new Set(given.flat().filter(isText))].slice(0, MOST_WORDS);
    if (texts.length > 0) fields[name as keyof typeof words] = texts;
  }
  for (const name of ["created", "updated"] as const) {
    const timeMs = readTime(NAMES[name].map((field) => entry[field]).find((one) => one !== undefined));
    if (timeMs !== undefined) fields[name] = new Date(timeMs).toISOString();
  }
  if (isPrivate) fields.sensitivity = "private";
  if (isShare(importance)) fields.importance = importance;
  return fields;
}

/** Is it a text that says something? */
export const isText = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";
const isShare = (value: unknown): value is number => typeof value === "number" && value >= 0 && value <= 1;

const findText = (entry: PlainRecord, names: readonly string[]): string | undefined =>
  names.map((name) => entry[name]).find(isText);

function readTime(value: unknown): number | undefined {
  const number = typeof value === "number" ? value : isText(value) ? Date.parse(value) : Number.NaN;
  if (!Number.isFinite(number) || number <= 0) return undefined;
  return typeof value === "number" && number < LEAST_MS ? number * 1000 : number;
}

/* Formats memories as lines of an export. Pure. */

const findFault = (whole: Memory): string | undefined => findHint(whole) ?? refuseSecrets(whole);

/** `problems`: sentences about the memories left out. */
export function formatExport(collections: readonly ReadCollection[], isWanted: (memory: Memory) => boolean) {
  const lines: string[] = [];
  const problems: string[] = [];
  for (const { looked, place } of collections) {
    for (const { path, reading, text: contents = "" } of looked) {
      if (reading.kind === "memory" && !isWanted(reading.memory)) continue;
      const problem =
        reading.kind === "memory" ? findFault({ ...reading.memory, content: contents }) : reading.what;
      const isArchived = path.startsWith("archive/") && { archived: true };
      if (problem !== undefined) problems.push(`${join(place.folder, path)}: ${problem}`);
      else lines.push(`${JSON.stringify({ v: 1, id: idOf(place, path), ...isArchived, contents })}\n`);
    }
  }
  return { count: lines.length, text: lines.join(""), problems };
}

/*
 * The export format: JSON Lines, each with one memory and its whole file.
 *
 *     {"v":1,"id":"decision/port-8080","contents":"---\ntitle: …\n---\n…\n"}
 *     {"v":1,"id":"idea/x","archived":true,"contents":"…"}
 */

/** `undefined` if it is not such a line. */
export function parseCopy(value: unknown): MemoryCopy | undefined {
  if (!isRecord(value) || value.v !== 1) return undefined;
  const { archived, contents, id } = value;
  if (typeof id !== "string" || typeof contents !== "string" || !parseID(id)) return undefined;
  return { id, isArchived: archived === true, contents };
}

/**
 * The lines of a file, numbered from 1, without their newlines. To be decoded one by one: a file cut off within a
 * character keeps its other lines.
 */
export function* listLines(bytes: Uint8Array): Generator<{ line: Uint8Array; number: number }> {
  for (let start = 0, number = 1; start < bytes.length; number++) {
    const newline = bytes.indexOf(0x0a, start);
    const end = newline === -1 ? bytes.length : newline;
    yield { line: bytes.subarray(start, end), number };
    start = end + 1;
  }
}
