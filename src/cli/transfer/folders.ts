/** Memories that other programs keep in folders of Markdown. */
import { join } from "node:path";
import { StrataError } from "../../error.js";
import type { MemoryDraft, MemoryType } from "../../memory/memory.js";
import { readPage } from "../../memory/memory-file.js";
import { INDEX_MARK } from "../../memory/store/index-page.js";
import { decodeStrictly, type Files } from "../../seams/files.js";
import { parseSections, planDrafts, SOURCE_FIELD } from "./sections.js";

export interface FolderReading {
  drafts: MemoryDraft[];
  /** Files that hold no memories. */
  passedOver: string[];
}

interface FolderPage {
  name: string;
  text: string;
}

/** Pages of a `.memory` folder, and what is kept there. */
const MEMORY_PAGES: Readonly<Record<string, MemoryType>> = {
  "context.md": "plan",
  "findings.md": "knowledge",
  "decisions.md": "decision",
};
/** What the kinds of a `MEMORY.md` folder are here. */
const KINDS: Readonly<Record<string, MemoryType>> = {
  user: "preference",
  feedback: "feedback",
  project: "knowledge",
  reference: "knowledge",
};

/**
 * What such a folder holds: with a `MEMORY.md` a page for each memory and their index, else the pages of a `.memory`
 * folder. Throws where it is neither. `label` names it in the memories.
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
      `${folder} is kept by Strata itself; in its project call strata export FILE, and import that file here`,
    );
  const known = pages.filter(({ name }) => MEMORY_PAGES[name] !== undefined);
  if (!index && known.length === 0)
    throw new StrataError(
      "WRONG_SOURCE",
      `expected a file of strata export, a .memory folder (${Object.keys(MEMORY_PAGES).join(", ")}) or a folder with a MEMORY.md, and ${folder} has none of these; strata ingest takes any Markdown file`,
    );
  const taken = index ? pages : known;
  const drafts = taken.flatMap((page) => {
    const source = { name: `${label}/${page.name}`, ...(scope !== undefined && { scope }) };
    if (page === index) return planIndexDrafts(page, source);
    const usualType = MEMORY_PAGES[page.name];
    if (!index && usualType) return planDrafts(parseSections(page.text), { ...source, usualType });
    return planPageDrafts(page, source);
  });
  const passedOver = names.filter((name) => !taken.some((page) => page.name === name));
  return { drafts, passedOver };
}

interface Source {
  name: string;
  scope?: MemoryDraft["scope"];
}

/** An index names the other pages; what else it says is kept. */
function planIndexDrafts({ text }: FolderPage, source: Source): MemoryDraft[] {
  const withoutLinks = text.replace(/^\s*[-*+]\s+\[[^\]]*\]\([^)\s]*\.md\).*$/gm, "");
  return planDrafts(parseSections(withoutLinks), source);
}

/** With fields of its own it is one memory; else one for each heading. */
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
      type: KINDS[kind ?? ""] ?? "knowledge",
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
