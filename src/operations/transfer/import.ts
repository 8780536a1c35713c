/** Memories from files, and to one. */
import { basename, join, relative, resolve } from "node:path";
import * as z from "zod";
import { DAY_MS } from "../../base/days.js";
import { StrataError } from "../../base/error.js";
import { countMemories } from "../../base/format.js";
import { parseJson } from "../../base/shape.js";
import { decodeStrictly, type Files, isOthers, listFilesBelow } from "../../io/files.js";
import type { MemoryDraft } from "../../memory/memory.js";
import { idOf, splitPath } from "../../memory/path.js";
import type { MemoryCopy } from "../../memory/store/store.js";
import { FORCE, writeNew } from "../command.js";
import { type ReadCollection, readCollections } from "../memory-files.js";
import { type Answer, days, defineTerminalOperation, flag, memoryType, names, text } from "../operation.js";
import type { Project } from "../project.js";
import { importDrafts, importMemories, planImport } from "./import-memories.js";
import { formatExport, listLines, parseCopy, readJsonExport } from "./json-export.js";
import { parseSections, planDrafts, readMemoryFolder } from "./markdown.js";

interface ImportOptions {
  source: string;
  withGlobal: boolean;
  isDry: boolean;
  nameOf(operation: string): string;
}

const dryRun = flag.default(false).describe("shows what would be imported");

const importInput = z.object({
  source: text("must name a file or folder"),
  dryRun,
  global: flag.default(false).describe("includes global memories; memories from a folder all become global"),
});

/** A file of `strata export`, another tool's JSON, a `.memory` folder, or a folder with a `MEMORY.md`. */
export const take = defineTerminalOperation(importInput, async (project, wanted, { nameOf }) => {
  const { files, folder } = project.cli;
  const source = resolve(folder, wanted.source);
  const options = { source, withGlobal: wanted.global, isDry: wanted.dryRun, nameOf };
  const stat = await files.stat(source);
  if (stat?.kind === "folder") return importFolder(project, options);
  if (stat?.kind === "file") return importFile(project, options);
  const why = `${source} does not exist; ${nameOf("import")} --help lists what can be imported`;
  throw new StrataError("NO_SOURCE", why);
});

async function importFolder(project: Project, options: ImportOptions): Promise<Answer> {
  const read = await readMemoryFolder(project.cli.files, options.source, sourceOf(project, options));
  const { isDry } = options;
  const answer = await importDrafts(project, read.drafts, { operation: "import", isDry, notes: [] });
  if (read.skipped.length === 0) return answer;
  return { ...answer, text: `${answer.text}\nNo memories in ${read.skipped.join(", ")}.` };
}

async function importFile(project: Project, options: ImportOptions): Promise<Answer> {
  const { isDry, nameOf, source } = options;
  const bytes = (await project.cli.files.read(source)) ?? new Uint8Array();
  const { badLines, copies } = readCopies(bytes);
  if (copies.length > 0 || badLines.length === 0)
    return importCopies(project, copies, { ...options, badLines });
  const text = decodeStrictly(bytes);
  const others = text === undefined ? undefined : readJsonExport(text, sourceOf(project, options));
  const why = `${source} has neither a line written by strata export nor JSON with memories of another tool; to import Markdown, use ${nameOf("import markdown")}`;
  if (!others || others.drafts.length === 0) throw new StrataError("WRONG_SOURCE", why);
  const notes = others.without > 0 ? [`${others.without} of the entries in ${source}: no text`] : [];
  return importDrafts(project, others.drafts, { operation: "import", isDry, notes });
}

async function importCopies(
  project: Project,
  copies: readonly MemoryCopy[],
  { badLines, isDry, source, withGlobal }: ImportOptions & { badLines: readonly number[] },
): Promise<Answer> {
  const existing = listCopies(await readCollections(project));
  const { add, duplicates, leftOut } = planImport(copies, existing, { withGlobal });
  return importMemories(project, {
    items: add.map((copy) => ({
      name: copy.from === undefined ? copy.id : `${copy.from} as ${copy.id}, because the id is taken`,
      copy,
    })),
    duplicates: duplicates.length,
    notes: [
      ...(leftOut.length > 0 ? [`${leftOut.length} that are global; --global includes them`] : []),
      ...badLines.map((line) => `line ${line} of ${source} is not a complete memory`),
    ],
    isDry,
    write(accepted, { memories, onProgress, run }) {
      const copies = accepted.map(({ copy }) => copy);
      return memories.adoptAll(copies, { operation: "import", run }, onProgress);
    },
  });
}

/** Memories name no path outside the project, because others may read them. */
function sourceOf({ root }: Project, { source, withGlobal }: Pick<ImportOptions, "source" | "withGlobal">) {
  const inside = relative(root, source);
  const name = inside.startsWith("..") ? basename(source) : inside;
  return { name, ...(withGlobal && { scope: "global" as const }) };
}

/** Every file in the place of a memory, readable or not: an import must not take its name. */
const listCopies = (collections: readonly ReadCollection[]): MemoryCopy[] =>
  collections.flatMap(({ looked, place }) =>
    looked.flatMap(({ path, text = "" }) => {
      const parts = splitPath(path);
      return parts ? [{ id: idOf(place, path), isArchived: parts.isArchived, contents: text }] : [];
    }),
  );

/** The memories in the file, and the numbers (from 1) of the lines that are none. */
function readCopies(bytes: Uint8Array): { copies: MemoryCopy[]; badLines: number[] } {
  const copies: MemoryCopy[] = [];
  const badLines: number[] = [];
  for (const { line: held, number } of listLines(bytes)) {
    const line = decodeStrictly(held);
    const copy = line === undefined ? undefined : parseCopy(parseJson(line));
    if (copy) copies.push(copy);
    else if (line?.trim() !== "") badLines.push(number);
  }
  return { copies, badLines };
}

/** Larger files are not meant to be read by people. */
const MOST_BYTES = 4_000_000;

const markdownInput = z.object({
  files: names.min(1, "must name files"),
  recursive: flag.default(false).describe("reads the Markdown files in and below a folder"),
  type: memoryType.optional().describe("the type of all of them"),
  dryRun,
  global: flag.default(false).describe("makes them global, for every project"),
});

export const takeMarkdown = defineTerminalOperation(markdownInput, async (project, wanted) => {
  const { files, folder } = project.cli;
  const { dryRun, global: isGlobal, recursive, type } = wanted;
  const drafts: MemoryDraft[] = [];
  const places = wanted.files.map((one) => resolve(folder, one));
  const { notes, paths } = await listPages(files, places, recursive);
  // All files are read before the first memory is written: one bad file changes nothing.
  for (const path of paths) {
    const sections = parseSections(await readMarkdown(files, path));
    const source = sourceOf(project, { source: path, withGlobal: isGlobal });
    drafts.push(...planDrafts(sections, { ...source, type }));
  }
  return importDrafts(project, drafts, { operation: "ingest", notes, isDry: dryRun });
});

/** The files themselves, and with `isRecursive` the Markdown files in and below folders. */
async function listPages(
  files: Files,
  given: readonly string[],
  isRecursive: boolean,
): Promise<{ paths: string[]; notes: string[] }> {
  const paths = new Set<string>();
  const notes: string[] = [];
  for (const path of given) {
    if (!isRecursive || (await files.stat(path))?.kind !== "folder") {
      paths.add(path);
      continue;
    }
    const below = await listFilesBelow(files, path, (inside) => !isOthers(inside));
    const pages = below.paths.filter((inside) => /\.(md|markdown|mdx)$/i.test(inside));
    if (pages.length === 0) notes.push(`${path} has no Markdown files`);
    if (below.isCut) notes.push(`${path} has too many folders for one run; name folders in it`);
    for (const inside of pages) paths.add(join(path, inside));
  }
  return { paths: [...paths], notes };
}

async function readMarkdown(files: Files, path: string): Promise<string> {
  const stat = await files.stat(path);
  if (stat?.kind !== "file") {
    const what = stat
      ? "is not a file; --recursive reads the Markdown files of a folder, strata import a folder of memories"
      : "does not exist";
    throw new StrataError("NO_SOURCE", `${path} ${what}`);
  }
  const large = `${path} has ${stat.bytes} bytes, more than ${MOST_BYTES}; split it`;
  if (stat.bytes > MOST_BYTES) throw new StrataError("WRONG_SOURCE", large);
  const text = decodeStrictly((await files.read(path)) ?? new Uint8Array());
  if (text === undefined || text.includes("\0"))
    throw new StrataError("WRONG_SOURCE", `${path} is not UTF-8 text; strata import markdown reads Markdown`);
  return text;
}

const exportInput = z.object({
  file: z.string().optional(),
  includePrivate: flag.default(false).describe("includes private memories and those that git ignores"),
  global: flag.default(false).describe("includes global memories"),
  type: memoryType.optional().describe("only memories of this type"),
  since: days.optional().describe("only memories changed within this many days"),
  force: flag.default(false).describe(FORCE),
});

/** Memories as JSON Lines, each with its whole file. Changes nothing but the file it writes. */
export const give = defineTerminalOperation(exportInput, async (project, wanted) => {
  const { cli } = project;
  const { file, includePrivate, since, type } = wanted;
  const leastMs = since === undefined ? Number.NEGATIVE_INFINITY : cli.clock.now() - since * DAY_MS;
  const collections = (await readCollections(project)).filter(
    ({ place }) =>
      (wanted.global || place.scope === "project") && (includePrivate || place.sensitivity === "internal"),
  );
  const { count, problems, text } = formatExport(
    collections,
    (memory) => (type === undefined || memory.type === type) && Date.parse(memory.updated) >= leastMs,
  );
  const path = file === undefined ? undefined : await writeNew(cli, file, text, wanted.force);
  return {
    text: path === undefined ? text.trimEnd() : `Exported: ${countMemories(count)} to ${path}`,
    notes: problems.map((problem) => `${cli.style.yellow("Skipped")}  ${problem}`),
    isProblem: problems.length > 0,
  };
});
