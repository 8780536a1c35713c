/** Memories that other programs keep in folders of Markdown files. */
import { join } from "node:path";
import { StrataError } from "../../error.js";
import { readTypeName } from "../../memory/id.js";
import type { MemoryDraft, MemoryType } from "../../memory/memory.js";
import { readPage } from "../../memory/memory-file.js";
import { INDEX_MARK } from "../../memory/store/index-page.js";
import { decodeStrictly, type Files } from "../../seams/files.js";
import { parseSections, planDrafts, SOURCE_FIELD } from "./sections.js";

export interface FolderReading {
  drafts: MemoryDraft[];
  /** Files that hold no memories. */
  skipped: string[];
}

interface FolderPage {
  name: string;
  text: string;
}

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

/**
 * Reads a folder with a `MEMORY.md` (an index, and one page for each memory) or a `.memory` folder. Throws if it is
 * neither. `label` names the folder in the memories.
 */
export async function readMemoryFolder(
  files: Files,
  folder: string,
  { label, scope }: { label: string; scope?: MemoryDraft["scope"] },
): Promise<FolderReading> {
  const names = await files.list(folder);
  const pages: FolderPage[] = [];
  for (const name of names.filter((one) => one.endsWith(".md"))) {
    const stat = await files.statItself(join(folder, name));
    const bytes = stat?.kind === "file" ? await files.read(join(folder, name)) : undefined;
    const text = bytes && decodeStrictly(bytes);
    if (text !== undefined) pages.push({ name, text });
  }
  const index = pages.find(({ name }) => name === "MEMORY.md");
  if (index?.text.startsWith(INDEX_MARK))
    throw new StrataError(
      "WRONG_SOURCE",
      `${folder} is Strata's own; run strata export FILE in its project and import that file here`,
    );
  const known = pages.filter(({ name }) => MEMORY_PAGES[name] !== undefined);
  if (!index && known.length === 0)
    throw new StrataError(
      "WRONG_SOURCE",
      `${folder} has neither a MEMORY.md nor the pages of a .memory folder (${Object.keys(MEMORY_PAGES).join(", ")}); to import other Markdown files, use strata ingest`,
    );
  const used = index ? pages : known;
  const drafts = used.flatMap((page) => {
    const source = { name: `${label}/${page.name}`, ...(scope !== undefined && { scope }) };
    if (page === index) return planIndexDrafts(page, source);
    const usualType = MEMORY_PAGES[page.name];
    if (!index && usualType) return planDrafts(parseSections(page.text), { ...source, usualType });
    return planPageDrafts(page, source);
  });
  const skipped = names.filter((name) => !used.some((page) => page.name === name));
  return { drafts, skipped };
}

interface Source {
  name: string;
  scope?: MemoryDraft["scope"];
}

/** The text of an index without its links to the other pages. */
function planIndexDrafts({ text }: FolderPage, source: Source): MemoryDraft[] {
  const withoutLinks = text.replace(/^\s*[-*+]\s+\[[^\]]*\]\([^)\s]*\.md\).*$/gm, "");
  return planDrafts(parseSections(withoutLinks), source);
}

/** A page with a title in its front matter is one memory; otherwise each heading is one. */
function planPageDrafts({ text }: FolderPage, source: Source): MemoryDraft[] {
  const page = readPage(text);
  const { description, metadata, name, title, type, ...rest } = page?.front ?? {};
  const named = [title, name].find(isWord);
  const content = page?.body.trim() ?? "";
  if (named === undefined || content === "") return planDrafts(parseSections(text), source);
  const kind = [type, isWord(metadata) ? undefined : (metadata as { type?: unknown } | undefined)?.type].find(
    isWord,
  );
  return [
    {
      type: KINDS[kind ?? ""] ?? readTypeName(kind) ?? "knowledge",
      title: named,
      content,
      ...(isWord(description) && description.trim() !== named && { aliases: [description] }),
      ...(source.scope !== undefined && { scope: source.scope }),
      provenance: { by: "person", how: "imported" },
      extra: { ...rest, [SOURCE_FIELD]: source.name },
    },
  ];
}

const isWord = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";
