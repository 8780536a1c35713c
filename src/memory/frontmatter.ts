/**
 * Parses a memory's frontmatter within bounds: it is untrusted, and a YAML parser takes time for every character and
 * level. Frontmatter beyond the bounds is reported as a problem and never parsed.
 */
import { type Document, isAlias, isCollection, isMap, isScalar, LineCounter, parseDocument } from "yaml";
import { isRecord, type PlainRecord } from "../base/records.js";

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
  const counter = new LineCounter();
  for (let index = text.indexOf("\n"); index !== -1; index = text.indexOf("\n", index + 1))
    counter.addNewLine(index + 1);
  const { col, line } = counter.linePos(at);
  return ` at line ${Math.max(1, line)}, column ${line === 0 ? at + 1 : col}`;
}

/**
 * Finds excessive nesting, duplicate names, and lists or maps as names: `toJS` writes those out as strings, nested ones
 * exponentially often.
 */
function findFault(node: unknown, depth: number): string | undefined {
  if (!isCollection(node)) return undefined;
  if (depth > DEEPEST) return `is nested more than ${DEEPEST} levels deep`;
  if (!isMap(node)) return findFirst(node.items, (item) => findFault(item, depth + 1));
  const names = new Set<unknown>();
  return findFirst(node.items, ({ key, value }) => {
    if (isCollection(key)) return NO_FIELDS;
    const name = isScalar(key) ? key.value : undefined;
    if (!isAlias(key) && names.has(name))
      return `is not valid YAML: Map keys must be unique, "${String(name)}" is not`;
    names.add(name);
    return findFault(value, depth + 1);
  });
}

function findFirst<T>(items: readonly T[], find: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
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
