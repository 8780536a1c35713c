/** The fields of a memory's frontmatter: their names, and the defaults for missing or mistyped ones. */
import { isRecord, type PlainRecord } from "../base/shape.js";
import { judges, type Memory, type MemoryStatus, type Provenance } from "./memory.js";

/** Fields read from the frontmatter; the rest comes from the file's path and body. */
export type Fields = Pick<
  Memory,
  "status" | "aliases" | "tags" | "entities" | "links" | "importance" | "pinned" | "when" | "provenance"
> &
  Partial<Pick<Memory, "title" | "created" | "updated" | "expires" | "supersededBy" | "isPersonal">>;

export const USUAL_IMPORTANCE = 0.5;

/** Field names as written in a file. */
export const fieldNames: ReadonlySet<string> = new Set([
  "title",
  "status",
  "importance",
  "pinned",
  "personal",
  "created",
  "updated",
  "expires",
  "supersededBy",
  "aliases",
  "tags",
  "entities",
  "links",
  "when",
  "source",
]);

export function readFields(front: PlainRecord): Fields {
  const { title, status, importance, pinned, created, updated, expires, supersededBy, source } = front;
  return {
    status: status === "resolved" || status === "superseded" ? status : "active",
    aliases: readWords(front.aliases),
    tags: readWords(front.tags),
    entities: readWords(front.entities),
    links: readWords(front.links),
    importance: typeof importance === "number" ? clamp(importance) : USUAL_IMPORTANCE,
    pinned: pinned === true,
    when: readWords(front.when),
    provenance: readSource(source),
    ...optional("isPersonal", front.personal === true ? (true as const) : undefined),
    ...optional("title", isText(title) ? joinLines(title) : undefined),
    ...optional("created", readTime(created)),
    ...optional("updated", readTime(updated)),
    ...optional("expires", readTime(expires)),
    ...optional("supersededBy", isText(supersededBy) ? supersededBy : undefined),
  };
}

/** Values by the field's name in a file, in file order; `undefined` if the field is not written. */
export function formatFields(memory: Omit<Fields, "status"> & Pick<Memory, "status" | "extra">): PlainRecord {
  const { title, status, importance, pinned, created, updated, expires, supersededBy } = memory;
  const extra = Object.entries(memory.extra).filter(([name]) => !fieldNames.has(name));
  return {
    title,
    status: isWritten(status) ? status : undefined,
    importance: importance === USUAL_IMPORTANCE ? undefined : importance,
    pinned: pinned || undefined,
    personal: memory.isPersonal,
    created,
    updated,
    expires,
    supersededBy,
    aliases: unlessEmpty(memory.aliases),
    tags: unlessEmpty(memory.tags),
    entities: unlessEmpty(memory.entities),
    links: unlessEmpty(memory.links),
    when: unlessEmpty(memory.when),
    source: unlessUsual(memory.provenance),
    ...Object.fromEntries(extra),
  };
}

/** True if both values are written the same way. */
export function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Collapses whitespace and control characters to single spaces. */
export function joinLines(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, " ").trim();
}

export const clamp = (importance: number): number => Math.min(1, Math.max(0, importance));

/** An archived memory's path says that it is archived. */
const isWritten = (status: MemoryStatus): boolean => status === "resolved" || status === "superseded";

function readSource(source: unknown): Provenance {
  if (!isRecord(source)) return { by: "person" };
  const { by, how, why, session, message, evidence } = source;
  return {
    by: by === "user" || by === "agent" || by === "tool" ? by : "person",
    ...optional(
      "how",
      judges.find((one) => one === how),
    ),
    ...optional("why", isText(why) ? why : undefined),
    ...optional("session", isText(session) ? session : undefined),
    ...optional("message", isText(message) ? message : undefined),
    ...optional("evidence", isText(evidence) ? evidence : undefined),
  };
}

/** Omits the default source: a file that a person began. */
function unlessUsual({ by, how, why, session, message, evidence }: Provenance): PlainRecord | undefined {
  const source = { by, how, why, session, message, evidence };
  const said = Object.fromEntries(Object.entries(source).filter(([, value]) => value !== undefined));
  return by === "person" && Object.keys(said).length === 1 ? undefined : said;
}

function readWords(value: unknown): string[] {
  const list = Array.isArray(value) ? value : [value];
  return list
    .filter((one) => typeof one === "string" || typeof one === "number")
    .map((one) => joinLines(String(one)))
    .filter((one) => one !== "");
}

function readTime(value: unknown): string | undefined {
  if (!isText(value)) return undefined;
  return Number.isNaN(Date.parse(value)) ? undefined : value;
}

const isText = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";

const unlessEmpty = (words: readonly string[]): readonly string[] | undefined =>
  words.length > 0 ? words : undefined;

/** `{ [name]: value }`, or nothing. */
function optional<N extends string, T>(name: N, value: T | undefined): { [K in N]?: T } {
  return value === undefined ? {} : ({ [name]: value } as { [K in N]?: T });
}

/** Where a long line can end and still say something. */
const ENDINGS = [/^.{20,}(?=[.;:,!?](?:\s|$)|[。；，！？]| [—–-] )/su, /^.{20,}(?=\s)/su];

/** A title of at most so many characters: to the end of the last clause that fits, else of a word. Never with an ellipsis. */
export function shortenTitle(words: string, most: number): string {
  const letters = [...words];
  if (letters.length <= most) return words;
  const head = letters.slice(0, most).join("");
  const ended = ENDINGS.map((one) => one.exec(head)?.[0]).find((one) => one !== undefined);
  return (ended ?? head).trimEnd();
}
