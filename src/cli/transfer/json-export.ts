/**
 * Memories in the JSON that other memory tools export: a list, an object with a list under a name such as `memories`, or
 * JSON Lines. From each entry, reads these fields if present:
 *
 *     text       content, memory, text, fact, body, summary, observation, error (with resolution)
 *     title      title, name, subject
 *     type       type, category, kind, also under metadata
 *     tags       tags, keywords, concepts
 *     when       created_at, createdAt, created, timestamp, date: ISO, or seconds or milliseconds since 1970
 *
 * In such tools a model words the entries. So an entry is never a rule, preference or correction of the user's: it
 * becomes a fact, with the tool's own type as a tag. Pure.
 */
import { readTypeName } from "../../memory/id.js";
import { type MemoryDraft, type MemoryType, usersTypes } from "../../memory/memory.js";
import { isRecord, type PlainRecord, parseJson } from "../../records.js";
import { SOURCE_FIELD } from "./sections.js";

/** A draft, and when the tool recorded it. */
export interface DatedDraft {
  draft: MemoryDraft;
  saidMs?: number;
}

export interface JsonExport {
  drafts: DatedDraft[];
  /** Number of entries without text. */
  without: number;
}

const TEXTS = ["content", "memory", "text", "fact", "body", "summary", "observation", "error"];
const TITLES = ["title", "name", "subject"];
const TYPES = ["type", "category", "kind"];
const TAGS = ["tags", "keywords", "concepts"];
const TIMES = ["created_at", "createdAt", "created", "timestamp", "date"];
const LISTS = ["memories", "items", "results", "entries", "records", "observations", "data"];
const MOST_TAGS = 12;
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

function planDraft(entry: PlainRecord, { name, scope }: { name: string; scope?: MemoryDraft["scope"] }) {
  const metadata = isRecord(entry.metadata) ? entry.metadata : {};
  const said = findText(entry, TEXTS);
  if (said === undefined) return undefined;
  const { resolution } = entry;
  const content = isText(resolution) ? `${said}\n\nResolution: ${resolution}` : said;
  const word = findText(entry, TYPES) ?? findText(metadata, TYPES);
  const title = findText(entry, TITLES);
  const type = planType(word);
  const saidMs = readTime(
    TIMES.map((field) => entry[field] ?? metadata[field]).find((one) => one !== undefined),
  );
  const given = [entry, metadata].flatMap((one) => TAGS.flatMap((field) => one[field])).filter(isText);
  const tags = [...new Set([...given, ...(word !== undefined && word !== type ? [word] : [])])];
  const draft: MemoryDraft = {
    ...{ type, content },
    ...(title !== undefined && title !== content && { title }),
    ...(tags.length > 0 && { tags: tags.slice(0, MOST_TAGS) }),
    ...(scope !== undefined && { scope }),
    provenance: { by: "tool", how: "imported" },
    extra: { [SOURCE_FIELD]: name },
  };
  return { draft, ...(saidMs !== undefined && { saidMs }) };
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
