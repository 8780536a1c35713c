/**
 * A memory as a file: YAML frontmatter and Markdown.
 *
 *     ---
 *     title: The development server listens on 8080
 *     created: 2026-11-21T09:00:00.000Z
 *     updated: 2026-11-21T09:00:00.000Z
 *     tags: [server]
 *     source: { by: user, session: ses_1, evidence: "use 8080, not 3000" }
 *     ---
 *     3000 is taken by the old frontend.
 *
 * The file's path gives type, scope and sensitivity. All fields are optional: a plain Markdown file is a memory too. A
 * change writes only the fields that differ and leaves the rest as a person wrote it, comments included. A file that
 * cannot be read whole is a problem, with a sentence for people, and never half a memory.
 *
 * This file loads the YAML package and the rules for secrets: import it where the first memory is read or written, not at
 * start.
 */
import { Document, isAlias, isCollection, isMap, isPair, isScalar, parseDocument } from "yaml";
import { isRecord, type PlainRecord } from "../base/shape.js";
import { refuseSecrets } from "./draft.js";
import { fieldNames, formatFields, isSame, readFields, shortenTitle } from "./fields.js";
import { formatID, type Memory, type Place } from "./memory.js";
/** A larger file is not a memory: a model would get all of it. */
export const MOST_FILE_BYTES = 256 * 1024;

export type FileReading =
  | { kind: "memory"; memory: Memory }
  /** `isUnread`: reading failed; the file may be sound. */
  | { kind: "problem"; what: string; isUnread?: true };

/** The file's place and its state on disk. */
export interface FilePlace extends Place {
  isArchived: boolean;
  /** For files without a date of their own. */
  modifiedMs: number;
}

/** Never throws: an unreadable file is a problem. */
export function parseMemoryFile(bytes: Uint8Array, place: FilePlace): FileReading {
  const text = decode(bytes);
  if (typeof text !== "string") return text;
  const damage = findDamage(text);
  if (damage) return problem(damage);
  const page = splitPage(text);
  if (!page) return problem("its frontmatter begins with --- but does not end");
  const front = parseFront(page.front);
  if ("problem" in front) return problem(`its frontmatter ${front.problem}`);
  return { kind: "memory", memory: toMemory(front.fields, page.body, place) };
}

/** Why a file is not read as this memory: a secret anywhere in its text, comments in the frontmatter included. */
export function refuseFile(memory: Memory, text: string): string | undefined {
  return refuseSecrets({ ...memory, content: text });
}

/** The file's text. What a person added to `existing`, the text it replaces, is kept. */
export function formatMemoryFile(memory: Memory, existing?: string): string {
  const page = existing === undefined ? undefined : splitPage(existing);
  if (existing === undefined || !page) return joinPage(formatFront(memory), memory.content.trim(), "");
  const read = parseFront(page.front);
  // `existing` was read as a memory before; if its frontmatter is broken all the same, it has no fields.
  const { document, fields: front } = "problem" in read ? { document: new Document({}), fields: {} } : read;
  const before = readFields(front);
  const title = before.title ?? readTitle(memory.content.trim());
  // Keep a creation time that only a person can read.
  const created = before.created ?? (front.created === undefined ? undefined : memory.created);
  const was = formatFields({ ...before, title, ...(created !== undefined && { created }), extra: front });
  const after = formatFields(memory.status === "archived" ? { ...memory, status: before.status } : memory);
  for (const name of new Set([...Object.keys(was), ...Object.keys(after)])) {
    if (isSame(was[name], after[name])) continue;
    if (after[name] === undefined) document.delete(name);
    else document.set(name, document.createNode(after[name], styleOf(name)));
  }
  const written = page.front === "" && isEmpty(document) ? "" : document.toString(YAML_STYLE);
  const body = page.body.trim() === memory.content.trim() ? page.body : memory.content.trim();
  const text = joinPage(written, body, page.body);
  const beginning = existing.startsWith("\uFEFF") ? "\uFEFF" : "";
  return `${beginning}${/\r\n/.test(existing) ? text.replace(/\n/g, "\r\n") : text}`;
}

/** The raw fields of a page and the text below them; `undefined` if the page cannot be parsed. */
export function readPage(text: string): { front: PlainRecord; body: string } | undefined {
  const page = splitPage(text);
  const front = page && parseFront(page.front);
  return front && "fields" in front ? { front: front.fields, body: page.body } : undefined;
}

/** The first words of the content: used for names, and as the title if there is none. */
export function readTitle(content: string): string {
  const line = content.split("\n").find((one) => /[\p{L}\p{N}]/u.test(one)) ?? "";
  const words = line.replace(/^[\s#>*+-]+/, "").trim();
  return shortenTitle(words, 100);
}

const YAML_STYLE = { lineWidth: 0 } as const;

function formatFront(memory: Memory): string {
  const front = new Document({});
  for (const [name, value] of Object.entries(formatFields(memory)))
    if (value !== undefined) front.set(name, front.createNode(value, styleOf(name)));
  return front.toString(YAML_STYLE);
}

/** Lists of words go on one line. */
const styleOf = (name: string): { flow: boolean } => ({ flow: name !== "source" });

const problem = (what: string): FileReading => ({ kind: "problem", what });

function decode(bytes: Uint8Array): string | FileReading {
  if (bytes.byteLength > MOST_FILE_BYTES)
    return problem(`it has ${bytes.byteLength} bytes; a memory has at most ${MOST_FILE_BYTES}`);
  if (bytes.byteLength === 0) return problem("it is empty");
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return problem("it is not UTF-8 text");
  }
}

function findDamage(text: string): string | undefined {
  if (text.includes("\0")) return "it is not text: it contains NUL bytes";
  if (/^<{7}( |$)/m.test(text) && /^>{7}( |$)/m.test(text))
    return "it contains the conflict markers of a merge; resolve the conflict and remove them";
  return undefined;
}

/** Normalises newlines and drops a byte order mark; `undefined` if the frontmatter does not end. */
function splitPage(text: string): { front: string; body: string } | undefined {
  const plain = text.replace(/^\uFEFF/, "").replace(/\r\n/g, "\n");
  if (!/^---[ \t]*(\n|$)/.test(plain)) return { front: "", body: plain };
  const [, front, body] = /^---[ \t]*\n([\s\S]*?\n|)---[ \t]*(?:\n([\s\S]*))?$/.exec(plain) ?? [];
  return front === undefined ? undefined : { front, body: body ?? "" };
}

function joinPage(front: string, body: string, before: string): string {
  const whole = front === "" ? "" : `---\n${front.replace(/\n*$/, "\n")}---\n`;
  const end = body === before || body.endsWith("\n") ? "" : "\n";
  return `${whole}${body}${end}`;
}

function isEmpty(document: Document): boolean {
  return document.contents === null || (isMap(document.contents) && document.contents.items.length === 0);
}

function toMemory(front: PlainRecord, body: string, place: FilePlace): Memory {
  const { scope, sensitivity, type, name, isArchived, modifiedMs } = place;
  const content = body.trim();
  const { isPersonal, ...fields } = readFields(front);
  const written = new Date(modifiedMs).toISOString();
  const extra = Object.fromEntries(Object.entries(front).filter(([key]) => !fieldNames.has(key)));
  const created = fields.created ?? written;
  return {
    ...fields,
    id: formatID(place),
    scope,
    sensitivity,
    type,
    title: fields.title ?? (readTitle(content) || name),
    content,
    status: isArchived ? "archived" : fields.status,
    created,
    updated: fields.updated ?? written,
    ...(fields.created === undefined && { isUndated: true }),
    ...(isPersonal && sensitivity === "private" && { isPersonal }),
    extra,
  };
}

/*
 * Parses a memory's frontmatter within bounds: it is untrusted, and a YAML parser takes time for every character and
 * level. Frontmatter beyond the bounds is reported as a problem and never parsed.
 */

/** Fields describe a memory; its text comes below them. */
const MOST_FRONT_BYTES = 16 * 1024;
/** Newlines and punctuation: the parser does work for each. */
const MOST_SIGNS = 1_000;
/** Our own fields need two levels; the rest is room for what people add. */
const DEEPEST = 16;

export interface Front {
  document: Document;
  fields: PlainRecord;
}

/** Never throws. `problem` continues a sentence that begins with "its frontmatter". */
export function parseFront(text: string): Front | { problem: string } {
  const excess = findExcess(text);
  if (excess !== undefined) return { problem: excess };
  // `findFault` compares names, `formatPlace` locates the error: the parser takes quadratic time for both.
  const document = parseDocument(text, { prettyErrors: false, uniqueKeys: false });
  const [error] = document.errors;
  if (error) return { problem: `is not valid YAML: ${error.message}${formatPlace(text, error.pos[0])}` };
  const fault = findFault(document.contents, 0);
  if (fault !== undefined) return { problem: fault };
  const fields = toRecord(document);
  return fields ? { document, fields } : { problem: NO_FIELDS };
}

const NO_FIELDS = "is not a list of names and values";

function findExcess(text: string): string | undefined {
  const bytes = Buffer.byteLength(text);
  if (bytes > MOST_FRONT_BYTES)
    return `has ${bytes} bytes, expected at most ${MOST_FRONT_BYTES}; move text below it`;
  let signs = 0;
  for (let index = 0; index < text.length; index++) if (isSign(text.charCodeAt(index))) signs++;
  if (signs <= MOST_SIGNS) return undefined;
  return `has ${signs} lines and characters such as quotes and brackets, expected at most ${MOST_SIGNS}; move text below it`;
}

/** True for a newline or ASCII punctuation. */
function isSign(code: number): boolean {
  if (code === 0x0a || (code > 0x20 && code < 0x30)) return true;
  return (code > 0x39 && code < 0x41) || (code > 0x5a && code < 0x61) || (code > 0x7a && code < 0x7f);
}

function formatPlace(text: string, at: number): string {
  const lines = text.slice(0, at).split("\n");
  return ` at line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
}

/**
 * Finds excessive nesting, duplicate names, and lists or maps as names: `toJS` writes those out as strings, nested ones
 * exponentially often.
 */
export function findFault(node: unknown, depth: number): string | undefined {
  if (!isCollection(node)) return undefined;
  if (depth > DEEPEST) return `is nested more than ${DEEPEST} levels deep`;
  const names = new Set<unknown>();
  for (const item of node.items) {
    if (isPair(item) && isCollection(item.key)) return NO_FIELDS;
    if (isPair(item) && !isAlias(item.key)) {
      const name = isScalar(item.key) ? item.key.value : undefined;
      if (names.has(name)) return `is not valid YAML: Map keys must be unique, "${String(name)}" is not`;
      names.add(name);
    }
    const fault = findFault(isPair(item) ? item.value : item, depth + 1);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** `undefined` if it is not a map of names to values. */
function toRecord(document: Document): PlainRecord | undefined {
  try {
    const value: unknown = document.toJS() ?? {};
    return isRecord(value) ? value : undefined;
  } catch {
    // Aliases that expand without end.
    return undefined;
  }
}
