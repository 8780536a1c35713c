/** Memories that other programs keep in folders of Markdown files. */
import { join, relative } from "node:path";
import { StrataError } from "../../base/error.js";
import { decodeStrictly, type Files } from "../../io/files.js";
import { type MemoryDraft, type MemoryType, readTypeName } from "../../memory/memory.js";
import { readPage } from "../../memory/memory-file.js";
import { INDEX_MARK } from "../../memory/store/index-page.js";
import { readJsonExport, readSharedFields } from "./json-export.js";
import { listFilesBelow } from "./list-files.js";
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
  const records = index ? [] : await readRecords(files, folder, { label, scope });
  if (!index && known.length === 0 && records.length === 0)
    throw new StrataError(
      "WRONG_SOURCE",
      `${folder} has neither a MEMORY.md nor what a .memory folder holds (${Object.keys(MEMORY_PAGES).join(", ")}, or JSON with memories); to import other Markdown files, use strata ingest`,
    );
  const used = index ? pages : known;
  const drafts = used.flatMap((page): MemoryDraft[] => {
    const source = { name: `${label}/${page.name}`, ...(scope !== undefined && { scope }) };
    if (page === index) return planIndexDrafts(page, source);
    const usualType = MEMORY_PAGES[page.name];
    if (!index && usualType) return planDrafts(parseSections(page.text), { ...source, usualType });
    return planPageDrafts(page, source);
  });
  const found = new Set([...used, ...records].map(({ name }) => name.split("/")[0]));
  const skipped = names.filter((name) => !found.has(name));
  return {
    drafts: [...drafts, ...records.flatMap((record) => record.drafts)],
    skipped,
  };
}

const MOST_RECORD_BYTES = 32_000_000;

/** Memories in the folder's JSON files, and in its log of errors. */
async function readRecords(
  files: Files,
  folder: string,
  { label, scope }: { label: string; scope: MemoryDraft["scope"] | undefined },
): Promise<{ name: string; drafts: MemoryDraft[] }[]> {
  const { paths } = await listFilesBelow(files, folder, /(\.jsonl?|^errors\.log)$/i);
  const records: { name: string; drafts: MemoryDraft[] }[] = [];
  for (const path of paths) {
    const bytes =
      ((await files.stat(path))?.bytes ?? 0) <= MOST_RECORD_BYTES ? await files.read(path) : undefined;
    const text = bytes && decodeStrictly(bytes);
    const name = relative(folder, path).replaceAll("\\", "/");
    const source = { name: `${label}/${name}`, ...(scope !== undefined && { scope }) };
    const { drafts } = (text === undefined ? undefined : readJsonExport(text, source)) ?? { drafts: [] };
    if (drafts.length > 0) records.push({ name, drafts });
  }
  return records;
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
  const { description, metadata, name, title, type, ...others } = page?.front ?? {};
  const rest = Object.fromEntries(Object.entries(others).filter(([field]) => !OWN_FIELDS.has(field)));
  const { extra, ...shared } = readSharedFields(others);
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
      ...shared,
      ...(isWord(description) &&
        description.trim() !== named && { aliases: [description, ...(shared.aliases ?? [])] }),
      ...(source.scope !== undefined && { scope: source.scope }),
      provenance: { by: "person", how: "imported" },
      extra: { ...rest, ...extra, [SOURCE_FIELD]: source.name },
    },
  ];
}

/** Fields with Strata's own observations, which an import may not claim. */
export const OWN_FIELDS: ReadonlySet<string> = new Set(["sessions", "taken-from"]);

const isWord = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";
