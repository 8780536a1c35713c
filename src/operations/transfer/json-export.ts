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
import { atOnce } from "../../base/slices.js";
import { findHint, refuseSecrets } from "../../memory/draft.js";
import {
  type Memory,
  type MemoryDraft,
  type MemoryType,
  parseID,
  readTypeName,
  usersTypes,
} from "../../memory/memory.js";
import { idOf } from "../../memory/path.js";
import type { MemoryCopy } from "../../memory/store/store.js";
import type { ReadCollection } from "../memory-files.js";
import { SOURCE_FIELD } from "./sections.js";

export interface JsonExport {
  drafts: MemoryDraft[];
  /** Number of entries without text. */
  without: number;
}

const TEXTS = ["content", "memory", "text", "fact", "body", "summary", "observation", "error"];
const TITLES = ["title", "name", "subject"];
const TYPES = ["type", "category", "kind"];
const TAGS = ["tags", "keywords", "concepts"];
const TIMES = ["created_at", "createdAt", "created", "timestamp", "date"];
const CHANGES = ["updated_at", "updatedAt", "updated"];
const OPEN = new Set(["internal", "public", "shared", "team"]);
const LISTS = ["memories", "items", "results", "entries", "records", "observations", "data"];
const MOST_WORDS = 12;
/** Smaller numbers are seconds: 1e11 ms is 1973, 1e11 s is 5138. */
const LEAST_MS = 1e11;

/** `undefined` if the text is not such JSON. The memories record `source`. */
export function readJsonExport(
  text: string,
  source: { name: string; scope?: MemoryDraft["scope"] },
): JsonExport | undefined {
  const entries = listEntries(text);
  if (!entries) return undefined;
  const drafts = entries.flatMap((entry) => planDraft(entry, source) ?? []);
  return { drafts, without: entries.length - drafts.length };
}

function listEntries(text: string): PlainRecord[] | undefined {
  const whole = parseJson(text.replace(/^\uFEFF/, ""));
  if (whole === undefined) {
    const lines = text.split("\n").filter((line) => line.trim() !== "");
    const records = lines.flatMap((line) => {
      const value = parseJson(line);
      return isRecord(value) ? [value] : [];
    });
    return records.length > 0 ? records : undefined;
  }
  const list = Array.isArray(whole) ? whole : isRecord(whole) ? (findList(whole) ?? [whole]) : undefined;
  return list?.filter(isRecord);
}

function findList(whole: PlainRecord): unknown[] | undefined {
  const found = LISTS.map((name) => whole[name]).find(Array.isArray);
  if (found) return found;
  const { data } = whole;
  return isRecord(data) ? LISTS.map((name) => data[name]).find(Array.isArray) : undefined;
}

function planDraft(
  entry: PlainRecord,
  { name, scope }: { name: string; scope?: MemoryDraft["scope"] },
): MemoryDraft | undefined {
  const metadata = isRecord(entry.metadata) ? entry.metadata : {};
  const said = findText(entry, TEXTS);
  if (said === undefined) return undefined;
  const { resolution } = entry;
  const content = isText(resolution) ? `${said}\n\nResolution: ${resolution}` : said;
  const word = findText(entry, TYPES) ?? findText(metadata, TYPES);
  const title = findText(entry, TITLES);
  const type = planType(word);
  const { extra, tags = [], ...shared } = readSharedFields({ ...metadata, ...entry });
  const allTags = [...new Set([...tags, ...(word !== undefined && word !== type ? [word] : [])])];
  return {
    type,
    content,
    ...shared,
    ...(title !== undefined && title !== content && { title }),
    ...(allTags.length > 0 && { tags: allTags.slice(0, MOST_WORDS) }),
    ...(scope !== undefined && { scope }),
    provenance: { by: "tool", how: "imported" },
    extra: { ...extra, [SOURCE_FIELD]: name },
  };
}

type SharedFields = Partial<
  Pick<
    MemoryDraft,
    "aliases" | "created" | "entities" | "extra" | "importance" | "sensitivity" | "tags" | "updated"
  >
>;

/** The fields that other tools have as well. A sensitivity that is not known to be open counts as private. */
export function readSharedFields(entry: PlainRecord): SharedFields {
  const { access_count, agent } = entry;
  const [importance, confidence] = [readShare(entry.importance), readShare(entry.confidence)];
  const created = readDate(TIMES.map((field) => entry[field]).find((one) => one !== undefined));
  const updated = readDate(CHANGES.map((field) => entry[field]).find((one) => one !== undefined));
  const level = entry.sensitivity ?? entry.visibility;
  const isPrivate = entry.private === true || (isText(level) && !OPEN.has(level.trim().toLowerCase()));
  const extra = {
    ...(isText(agent) && { agent }),
    ...(confidence !== undefined && { confidence }),
    ...(Number.isSafeInteger(access_count) && { access_count }),
  };
  return {
    ...readWords("tags", entry, TAGS),
    ...readWords("aliases", entry, ["aliases"]),
    ...readWords("entities", entry, ["entities"]),
    ...(isPrivate && { sensitivity: "private" as const }),
    ...(importance !== undefined && { importance }),
    ...(created !== undefined && { created }),
    ...(updated !== undefined && { updated }),
    extra,
  };
}

function readWords(
  name: "aliases" | "entities" | "tags",
  entry: PlainRecord,
  fields: readonly string[],
): SharedFields {
  const words = [...new Set(fields.flatMap((field) => entry[field]).filter(isText))].slice(0, MOST_WORDS);
  return words.length > 0 ? { [name]: words } : {};
}

const readShare = (value: unknown): number | undefined =>
  typeof value === "number" && value >= 0 && value <= 1 ? value : undefined;

function readDate(value: unknown): string | undefined {
  const timeMs = readTime(value);
  return timeMs === undefined ? undefined : new Date(timeMs).toISOString();
}

function planType(word: string | undefined): MemoryType {
  const type = readTypeName(word?.toLowerCase());
  return type === undefined || usersTypes.has(type) ? "knowledge" : type;
}

function findText(entry: PlainRecord, names: readonly string[]): string | undefined {
  return names.map((name) => entry[name]).find(isText);
}

function readTime(value: unknown): number | undefined {
  const number = typeof value === "number" ? value : isText(value) ? Date.parse(value) : Number.NaN;
  if (!Number.isFinite(number) || number <= 0) return undefined;
  return typeof value === "number" && number < LEAST_MS ? number * 1000 : number;
}

const isText = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";

/* Formats memories as lines of an export. Pure. */

export interface ExportOptions {
  isWanted(memory: Memory): boolean;
}

/** `problems`: sentences about the memories left out. */
export function formatExport(
  collections: readonly ReadCollection[],
  { isWanted }: ExportOptions,
): { lines: string[]; problems: string[] } {
  const lines: string[] = [];
  const problems: string[] = [];
  for (const { looked, place } of collections) {
    for (const { path, reading, text = "" } of looked) {
      const file = join(place.folder, path);
      if (reading.kind === "problem") {
        problems.push(`${file}: ${reading.what}`);
        continue;
      }
      if (!isWanted(reading.memory)) continue;
      const whole = { ...reading.memory, content: text };
      const leak = findHint(whole) ?? atOnce(refuseSecrets(whole));
      if (leak !== undefined) problems.push(`${file}: ${leak}`);
      else
        lines.push(
          formatCopy({ id: idOf(place, path), isArchived: path.startsWith("archive/"), contents: text }),
        );
    }
  }
  return { lines, problems };
}

/*
 * The export format: JSON Lines, each with one memory and its whole file.
 *
 *     {"v":1,"id":"decision/port-8080","contents":"---\ntitle: …\n---\n…\n"}
 *     {"v":1,"id":"idea/x","archived":true,"contents":"…"}
 */

export function formatCopy({ contents, id, isArchived }: MemoryCopy): string {
  return JSON.stringify({ v: 1, id, ...(isArchived && { archived: true }), contents });
}

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
