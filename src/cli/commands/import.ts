/** `strata import`: a file of `strata export`, another tool's JSON, a `.memory` folder, or a folder with a `MEMORY.md`. */
import { basename, relative, resolve } from "node:path";
import { StrataError } from "../../base/error.js";
import { parseJson } from "../../base/shape.js";

import { decodeStrictly } from "../../io/files.js";
import { idOf, splitPath } from "../../memory/path.js";
import type { MemoryCopy } from "../../memory/store/store.js";
import type { ExitCode, Run } from "../../operations/command.js";
import { type ReadCollection, readCollections } from "../../operations/memory-files.js";

import { openProject, type Project } from "../../operations/project.js";

import { readMemoryFolder } from "../../operations/transfer/folders.js";
import { listLines, parseCopy, readJsonExport } from "../../operations/transfer/json-export.js";
import { importDrafts, importMemories, planImport } from "../transfer/import-memories.js";

interface ImportOptions {
  source: string;
  withGlobal: boolean;
  isDry: boolean;
}

export const run: Run = async (cli, { dryRun, global: withGlobal }, [given = ""]) => {
  const source = resolve(cli.folder, given);
  const project = await openProject(cli);
  const options = { source, withGlobal: withGlobal === true, isDry: dryRun === true };
  const stat = await cli.files.stat(source);
  if (stat?.kind === "folder") return importFolder(project, options);
  if (stat?.kind === "file") return importFile(project, options);
  throw new StrataError(
    "NO_SOURCE",
    `${source} does not exist; strata import --help lists what can be imported`,
  );
};

async function importFolder(project: Project, options: ImportOptions): Promise<ExitCode> {
  const { files, say } = project.cli;
  const read = await readMemoryFolder(files, options.source, sourceOf(project, options));
  const code = await importDrafts(project, read.drafts, {
    ...{ operation: "import", isDry: options.isDry, notes: [] },
  });
  if (read.skipped.length > 0) say(`No memories in ${read.skipped.join(", ")}.`);
  return code;
}

async function importFile(project: Project, options: ImportOptions): Promise<ExitCode> {
  const { isDry, source } = options;
  const bytes = (await project.cli.files.read(source)) ?? new Uint8Array();
  const { badLines, copies } = readCopies(bytes);
  if (copies.length > 0 || badLines.length === 0)
    return importCopies(project, copies, { ...options, badLines });
  const text = decodeStrictly(bytes);
  const others = text === undefined ? undefined : readJsonExport(text, sourceOf(project, options));
  if (!others || others.drafts.length === 0)
    throw new StrataError(
      "WRONG_SOURCE",
      `${source} has neither a line written by strata export nor JSON with memories of another tool; to import Markdown, use strata ingest`,
    );
  const notes = others.without > 0 ? [`${others.without} of the entries in ${source}: no text`] : [];
  return importDrafts(project, others.drafts, { operation: "import", isDry, notes });
}

/** Byte for byte. */
async function importCopies(
  project: Project,
  copies: readonly MemoryCopy[],
  { badLines, isDry, source, withGlobal }: ImportOptions & { badLines: readonly number[] },
): Promise<ExitCode> {
  const existing = listCopies(await readCollections(project));
  const { add, duplicates, leftOut } = planImport(copies, existing, { withGlobal });
  return importMemories(project, {
    items: add.map((copy) => ({
      name: copy.from === undefined ? copy.id : `${copy.from} as ${copy.id}, because the id is taken`,
      copy,
    })),
    duplicates: duplicates.length,
    notes: [
      ...(leftOut.length > 0 ? [`${leftOut.length} that hold in every project; --global includes them`] : []),
      ...badLines.map((line) => `line ${line} of ${source} is not a complete memory`),
    ],
    isDry,
    write: (accepted, { memories, onProgress, run }) =>
      memories.adoptAll(
        accepted.map(({ copy }) => copy),
        { operation: "import", run },
        onProgress,
      ),
  });
}

/** Memories name no path outside the project, because others may read them. */
function sourceOf({ root }: Project, { source, withGlobal }: ImportOptions) {
  const inside = relative(root, source);
  const name = inside.startsWith("..") ? basename(source) : inside;
  return { name, ...(withGlobal && { scope: "global" as const }) };
}

/** Every file in the place of a memory, readable or not: an import must not take its name. */
function listCopies(collections: readonly ReadCollection[]): MemoryCopy[] {
  return collections.flatMap(({ looked, place }) =>
    looked.flatMap(({ path, text = "" }) => {
      const parts = splitPath(path);
      return parts ? [{ id: idOf(place, path), isArchived: parts.isArchived, contents: text }] : [];
    }),
  );
}

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
