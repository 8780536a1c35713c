/** Memories from Markdown: a page, one for each heading; and the folders of pages that other programs keep. */
import { join } from "node:path";
import { StrataError } from "../../base/error.js";
import { groupBy, isRecord } from "../../base/shape.js";
import { toLine } from "../../base/text.js";
import { decodeStrictly, type Files, isOthers, listFilesBelow } from "../../io/files.js";
import { type MemoryDraft, type MemoryType, readTypeName } from "../../memory/memory.js";
import { readPage } from "../../memory/memory-file.js";
import { INDEX_MARK } from "../../memory/store/index-page.js";
import { isText, readJsonExport, readSharedFields, SOURCE_FIELD } from "./json-export.js";

/* A page. Pure. */

/** The text from one heading to the next. */
interface PageSection {
  /** The headings above it, nearest last; none before the first heading. */
  headings: readonly string[];
  text: string;
}

/** Where the memories of a page come from, and their type. */
interface PageSource {
  /** Recorded in the memory. */
  name: string;
  /** Type of all of them; by default their headings decide. */
  type?: MemoryType | undefined;
  /** Type where no heading decides. */
  usualType?: MemoryType | undefined;
  scope?: MemoryDraft["scope"];
}

const LONGEST_TITLE = 120;

/** A comment, or code, in which none begins. */
const COMMENT_OR_CODE = /(`{3,}|~{3,})[\s\S]*?(\1|$(?![\s\S]))|<!--[\s\S]*?(-->|$(?![\s\S]))\n?/g;

/** Sections with text. Front matter, comments, and headings within code do not count. */
export function parseSections(markdown: string): PageSection[] {
  const page = markdown
    .replace(/^\uFEFF/, "")
    .replace(/\r\n?/g, "\n")
    .replace(/^---[ \t]*\n[\s\S]*?\n---[ \t]*(\n|$)/, "")
    .replace(COMMENT_OR_CODE, (found) => (found.startsWith("<!--") ? "" : found));
  const sections: { headings: string[]; lines: string[] }[] = [{ headings: [], lines: [] }];
  const open: string[] = [];
  let fence: string | undefined;
  for (const line of page.split("\n")) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    const isOutside = fence === undefined && mark === undefined;
    if (fence === undefined) fence = mark;
    else if (mark?.startsWith(fence)) fence = undefined;
    const heading = isOutside ? /^ {0,3}(#{1,6})[ \t]+(.*)$/.exec(line) : undefined;
    if (!heading) sections.at(-1)?.lines.push(line);
    else {
      const [, marks = "", title = ""] = heading;
      open.length = Math.min(open.length, marks.length - 1);
      while (open.length < marks.length - 1) open.push("");
      open.push(title.replace(/(?<![#\s])[#\s]*$/, ""));
      sections.push({ headings: open.filter((text) => text !== ""), lines: [] });
    }
  }
  return sections
    .map(({ headings, lines }) => ({ headings, text: lines.join("\n").trim() }))
    .filter(({ text }) => /[\p{L}\p{N}]/u.test(text));
}

/** One memory for each section, as the user's own words. */
export function planDrafts(sections: readonly PageSection[], source: PageSource): MemoryDraft[] {
  const places = sections.map(({ headings }) => headings.join("\n"));
  const known = { places: new Set(places), named: groupBy(sections, ({ headings }) => headings.at(-1)) };
  return sections.map(({ headings, text }) => {
    const title = planTitle(headings, known);
    // The nearest heading that names a type, as in "Decisions" or "Idea".
    const named = headings.map(nameType).findLast((type) => type !== undefined);
    return {
      type: source.type ?? named ?? source.usualType ?? "knowledge",
      content: text,
      ...(title !== undefined && { title }),
      ...(source.scope !== undefined && { scope: source.scope }),
      provenance: { by: "person", how: "imported" },
      extra: { [SOURCE_FIELD]: source.name },
    };
  });
}

/** The heading, prefixed by its parent if it is not unique or continues the parent's text; none if it names a type. */
function planTitle(
  headings: readonly string[],
  { named, places }: { named: ReadonlyMap<string, readonly unknown[]>; places: ReadonlySet<string> },
): string | undefined {
  const own = headings.at(-1);
  if (own === undefined || nameType(own) !== undefined) return undefined;
  const above = headings.slice(0, -1);
  const needsParent = (named.get(own) ?? []).length > 1 || places.has(above.join("\n"));
  const parent = above.at(-1);
  return toLine(parent !== undefined && needsParent ? `${parent}: ${own}` : own, LONGEST_TITLE);
}

function nameType(heading: string): MemoryType | undefined {
  const word = heading.trim().toLowerCase();
  return readTypeName(word) ?? readTypeName(word.replace(/s$/, ""));
}

/* Folders. */

/** Pages of a `.memory` folder, and the type of what they hold. */
const MEMORY_PAGES: ReadonlyMap<string, MemoryType> = new Map([
  ["context.md", "plan"],
  ["findings.md", "knowledge"],
  ["decisions.md", "decision"],
]);
/** Types for the kinds of memory in a `MEMORY.md` folder. */
const KINDS: Readonly<Record<string, MemoryType>> = {
  user: "preference",
  feedback: "feedback",
  project: "knowledge",
  reference: "knowledge",
};
/** Larger files are skipped. */
const MOST_BYTES = 32_000_000;

/**
 * Reads a folder with a `MEMORY.md` (an index, and one page for each memory) or a `.memory` folder: its pages, JSON files
 * and log of errors. Throws if it is neither. `name` names the folder in the memories; `skipped` are its files without
 * memories.
 */
export async function readMemoryFolder(
  files: Files,
  folder: string,
  { name: label, scope }: Pick<PageSource, "name" | "scope">,
): Promise<{ drafts: MemoryDraft[]; skipped: string[] }> {
  const names = await files.list(folder);
  const index = await readText("MEMORY.md");
  const own = `${folder} is Strata's own; run strata export FILE in its project and import that file here`;
  if (index?.startsWith(INDEX_MARK)) throw new StrataError("WRONG_SOURCE", own);
  const pages = names.filter((name) => (index === undefined ? MEMORY_PAGES.has(name) : name.endsWith(".md")));
  const below =
    index === undefined ? await listFilesBelow(files, folder, (path) => !isOthers(path)) : undefined;
  const records = below?.paths.filter((path) => /(\.jsonl?|(^|\/)errors\.log)$/i.test(path)) ?? [];
  const drafts: MemoryDraft[] = [];
  const found = new Set<string>();
  for (const name of [...pages, ...records]) {
    const text = await readText(name);
    if (text === undefined) continue;
    const usualType = index === undefined ? MEMORY_PAGES.get(name) : undefined;
    const source = { name: `${label}/${name}`, usualType, ...(scope !== undefined && { scope }) };
    const isPage = pages.includes(name);
    const read = isPage ? readMarkdown(text, name, source) : (readJsonExport(text, source)?.drafts ?? []);
    if (isPage || read.length > 0) found.add(name.split("/")[0] ?? "");
    drafts.push(...read);
  }
  const why = `${folder} has neither a MEMORY.md nor what a .memory folder holds (${[...MEMORY_PAGES.keys()].join(", ")}, or JSON with memories); to import other Markdown files, use strata import markdown`;
  if (found.size === 0) throw new StrataError("WRONG_SOURCE", why);
  return { drafts, skipped: names.filter((name) => !found.has(name)) };

  async function readText(name: string): Promise<string | undefined> {
    const stat = await files.statItself(join(folder, name));
    if (stat?.kind !== "file" || stat.bytes > MOST_BYTES) return undefined;
    const bytes = await files.read(join(folder, name));
    return bytes && decodeStrictly(bytes);
  }
}

/** Of an index to its other pages. */
const LINKS = /^[ \t]*[-*+][ \t]+\[[^\]\n]*\]\([^)\s]*\.md\).*$/gm;

/** A page with a title in its front matter is one memory; otherwise each heading is one. */
function readMarkdown(text: string, name: string, source: PageSource): MemoryDraft[] {
  if (name === "MEMORY.md") return planDrafts(parseSections(text.replace(LINKS, "")), source);
  const { body = "", front = {} } = (source.usualType ? undefined : readPage(text)) ?? {};
  const { description, metadata, name: named, title = named, type, ...others } = front;
  const content = body.trim();
  if (!isText(title) || content === "") return planDrafts(parseSections(text), source);
  const kind = [type, isRecord(metadata) ? metadata.type : undefined].find(isText);
  const { extra, ...shared } = readSharedFields(others);
  const rest = Object.entries(others).filter(([field]) => !OWN_FIELDS.has(field));
  const aliases = isText(description) && description.trim() !== title ? [description] : [];
  return [
    {
      type: (Object.hasOwn(KINDS, kind ?? "") ? KINDS[kind ?? ""] : readTypeName(kind)) ?? "knowledge",
      ...{ title, content, ...shared },
      ...(aliases.length > 0 && { aliases: [...aliases, ...(shared.aliases ?? [])] }),
      ...(source.scope !== undefined && { scope: source.scope }),
      provenance: { by: "person", how: "imported" },
      extra: { ...Object.fromEntries(rest), ...extra, [SOURCE_FIELD]: source.name },
    },
  ];
}

/** Fields with Strata's own observations, which an import may not claim. */
export const OWN_FIELDS: ReadonlySet<string> = new Set(["sessions", "taken-from"]);
