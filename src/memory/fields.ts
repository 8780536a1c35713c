/** The fields of a memory's frontmatter: their names, and the defaults for missing or mistyped ones. */
import { isRecord, type PlainRecord } from "../base/shape.js";
import { judges, type Memory, type Provenance } from "./memory.js";

/** Fields read from the frontmatter; the rest comes from the file's path and body. */
export type Fields = Pick<
  Memory,
  "status" | "aliases" | "tags" | "entities" | "links" | "importance" | "pinned" | "when" | "provenance"
> &
  Partial<Pick<Memory, "title" | "created" | "updated" | "expires" | "supersededBy" | "isPersonal">>;

export const USUAL_IMPORTANCE = 0.5;

const LISTS = ["aliases", "tags", "entities", "links", "when"] as const;
const TIMES = ["created", "updated", "expires"] as const;

/** Field names as written in a file. */
export const fieldNames: ReadonlySet<string> = new Set([
  ...["title", "status", "importance", "pinned", "personal", "supersededBy", "source"],
  ...LISTS,
  ...TIMES,
]);

export function readFields(front: PlainRecord): Fields {
  const { importance, personal, pinned, status, supersededBy, title } = front;
  const given = {
    title: isText(title) ? joinLines(title) : undefined,
    supersededBy: isText(supersededBy) ? supersededBy : undefined,
    isPersonal: personal === true || undefined,
    ...Object.fromEntries(TIMES.map((name) => [name, readTime(front[name])])),
  };
  return {
    status: status === "resolved" || status === "superseded" ? status : "active",
    importance: typeof importance === "number" ? clamp(importance) : USUAL_IMPORTANCE,
    pinned: pinned === true,
    provenance: readSource(front.source),
    aliases: readWords(front.aliases),
    tags: readWords(front.tags),
    entities: readWords(front.entities),
    links: readWords(front.links),
    when: readWords(front.when),
    ...withoutAbsent(given),
  };
}

/** Values by the field's name in a file, in file order; `undefined` if the field is not written. */
export function formatFields(memory: Omit<Fields, "status"> & Pick<Memory, "status" | "extra">): PlainRecord {
  const { created, expires, importance, isPersonal, pinned, status, supersededBy, title, updated } = memory;
  const extra = Object.entries(memory.extra).filter(([name]) => !fieldNames.has(name));
  return {
    title,
    // An archived memory's path says that it is archived.
    status: status === "resolved" || status === "superseded" ? status : undefined,
    importance: importance === USUAL_IMPORTANCE ? undefined : importance,
    pinned: pinned || undefined,
    personal: isPersonal,
    ...{ created, updated, expires, supersededBy },
    ...Object.fromEntries(LISTS.map((name) => [name, memory[name].length > 0 ? memory[name] : undefined])),
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

const SOURCE_TEXTS = ["why", "session", "message", "evidence"] as const;

function readSource(source: unknown): Provenance {
  if (!isRecord(source)) return { by: "person" };
  const { by, how } = source;
  return {
    by: by === "user" || by === "agent" || by === "tool" ? by : "person",
    ...withoutAbsent({
      how: judges.find((one) => one === how),
      ...Object.fromEntries(
        SOURCE_TEXTS.map((name) => [name, isText(source[name]) ? source[name] : undefined]),
      ),
    }),
  };
}

/** Omits the default source: a file that a person began. */
function unlessUsual({ by, how, why, session, message, evidence }: Provenance): PlainRecord | undefined {
  const said = withoutAbsent({ by, how, why, session, message, evidence });
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

/** The object without fields that are `undefined`. */
export const withoutAbsent = <T extends object>(fields: T): { [Name in keyof T]?: NonNullable<T[Name]> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;

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
