/** Memories that other programs keep in folders of Markdown files. */
import { join } from "node:path";
import { StrataError } from "../../base/error.js";
import { isRecord } from "../../base/shape.js";
import { decodeStrictly, type Files, isOthers, listFilesBelow } from "../../io/files.js";
import { type MemoryDraft, type MemoryType, readTypeName } from "../../memory/memory.js";
import { readPage } from "../../memory/memory-file.js";
import { INDEX_MARK } from "../../memory/store/index-page.js";
import { readJsonExport, readSharedFields } from "./json-export.js";
import { type PageSource, parseSections, planDrafts, SOURCE_FIELD } from "./sections.js";

/** Pages of a `.memory` folder, and the type of what they hold. */
const MEMORY_PAGES: Readonly<Record<string, MemoryType>> = {
  "context.md": "plan",
  "findings.md": "knowledge",
  "decisions.md": "decision",
};
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
  if (index?.startsWith(INDEX_MARK))
    throw new StrataError(
      "WRONG_SOURCE",
      `${folder} is Strata's own; run strata export FILE in its project and import that file here`,
    );
  const pages = names.filter((name) => (index === undefined ? MEMORY_PAGES[name] : name.endsWith(".md")));
  const below =
    index === undefined ? await listFilesBelow(files, folder, (path) => !isOthers(path)) : undefined;
  const records = below?.paths.filter((path) => /(\.jsonl?|(^|\/)errors\.log)$/i.test(path)) ?? [];
  const drafts: MemoryDraft[] = [];
  const found = new Set<string>();
  for (const name of [...pages, ...records]) {
    const text = await readText(name);
    if (text === undefined) continue;
    const usualType = index === undefined ? MEMORY_PAGES[name] : undefined;
    const source = { name: `${label}/${name}`, usualType, ...(scope !== undefined && { scope }) };
    const isPage = pages.includes(name);
    const read = isPage ? readMarkdown(text, name, source) : (readJsonExport(text, source)?.drafts ?? []);
    if (isPage || read.length > 0) found.add(name.split("/")[0] ?? "");
    drafts.push(...read);
  }
  if (found.size === 0)
    throw new StrataError(
      "WRONG_SOURCE",
      `${folder} has neither a MEMORY.md nor what a .memory folder holds (${Object.keys(MEMORY_PAGES).join(", ")}, or JSON with memories); to import other Markdown files, use strata import markdown`,
    );
  return { drafts, skipped: names.filter((name) => !found.has(name)) };

  async function readText(name: string): Promise<string | undefined> {
    const stat = await files.statItself(join(folder, name));
    if (stat?.kind !== "file" || stat.bytes > MOST_BYTES) return undefined;
    const bytes = await files.read(join(folder, name));
    return bytes && decodeStrictly(bytes);
  }
}

/** A page with a title in its front matter is one memory; otherwise each heading is one. */
function readMarkdown(text: string, name: string, source: PageSource): MemoryDraft[] {
  // An index without its links to the other pages.
  if (name === "MEMORY.md")
    return planDrafts(parseSections(text.replace(/^\s*[-*+]\s+\[[^\]]*\]\([^)\s]*\.md\).*$/gm, "")), source);
  const { body = "", front = {} } = (source.usualType ? undefined : readPage(text)) ?? {};
  const { description, metadata, name: named, title = named, type, ...others } = front;
  const content = body.trim();
  if (!isWord(title) || content === "") return planDrafts(parseSections(text), source);
  const kind = [type, isRecord(metadata) ? metadata.type : undefined].find(isWord);
  const { extra, ...shared } = readSharedFields(others);
  const rest = Object.entries(others).filter(([field]) => !OWN_FIELDS.has(field));
  const aliases = isWord(description) && description.trim() !== title ? [description] : [];
  return [
    {
      type: KINDS[kind ?? ""] ?? readTypeName(kind) ?? "knowledge",
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

const isWord = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";
