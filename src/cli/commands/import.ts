/** `strata import`: a file of `strata export`, another tool's JSON, a `.memory` folder, or a folder with a `MEMORY.md`. */
import { basename, relative, resolve } from "node:path";
import { StrataError } from "../../base/error.js";
import { parseJson } from "../../base/shape.js";
import { decodeStrictly, type Files } from "../../io/files.js";
import type { MemoryDraft } from "../../memory/memory.js";
import { idOf, splitPath } from "../../memory/path.js";
import type { MemoryCopy } from "../../memory/store/store.js";
import type { ExitCode, Run } from "../../operations/command.js";
import { listMemories, type ReadCollection, readCollections } from "../../operations/memory-files.js";
import { openProject, type Project } from "../../operations/project.js";
import { type JsonExport, parseCopy } from "../../operations/transfer/json-export.js";
import { type ImportItem, importMemories, planImportItems } from "../transfer/import-memories.js";

interface ImportOptions {
  source: string;
  withGlobal: boolean;
  isDry: boolean;
}

/** An item that is copied byte for byte. */
interface CopyItem extends ImportItem {
  copy: MemoryCopy;
}

const OPERATION = "import";

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

async function importFile(project: Project, { isDry, source, withGlobal }: ImportOptions): Promise<ExitCode> {
  const { badLines, copies } = await readCopies(project.cli.files, source);
  const others =
    copies.length === 0 && badLines.length > 0 ? await readOthers(project, source, withGlobal) : undefined;
  if (others) {
    const notes = others.without > 0 ? [`${others.without} of the entries in ${source}: no text`] : [];
    return importDrafts(project, others.drafts, { isDry, notes });
  }
  if (copies.length === 0 && badLines.length > 0)
    throw new StrataError(
      "WRONG_SOURCE",
      `${source} has neither a line written by strata export nor JSON with memories of another tool; to import Markdown, use strata ingest`,
    );
  const { planImport } = await import("../transfer/plan-import.js");
  const existing = listCopies(await readCollections(project));
  const { add, duplicates, leftOut } = planImport(copies, existing, { withGlobal });
  const items = add.map(
    (copy): CopyItem => ({
      name: copy.from === undefined ? copy.id : `${copy.from} as ${copy.id}, because the id is taken`,
      copy,
    }),
  );
  const notes = [
    ...(leftOut.length > 0 ? [`${leftOut.length} that hold in every project; --global includes them`] : []),
    ...badLines.map((line) => `line ${line} of ${source} is not a complete memory`),
  ];
  return importMemories(project, {
    ...{ items, duplicates: duplicates.length, notes, isDry },
    write: (accepted, { memories, onProgress, run }) =>
      memories.adoptAll(
        accepted.map(({ copy }) => copy),
        { operation: OPERATION, run },
        onProgress,
      ),
  });
}

async function importFolder(
  project: Project,
  { isDry, source, withGlobal }: ImportOptions,
): Promise<ExitCode> {
  const { files, say } = project.cli;
  const { readMemoryFolder } = await import("../../operations/transfer/folders.js");
  const { drafts, skipped } = await readMemoryFolder(files, source, {
    label: labelOf(project, source),
    ...(withGlobal && { scope: "global" as const }),
  });
  const code = await importDrafts(project, drafts, { isDry, notes: [] });
  if (skipped.length > 0) say(`No memories in ${skipped.join(", ")}.`);
  return code;
}

async function importDrafts(
  project: Project,
  drafts: readonly MemoryDraft[],
  { isDry, notes }: { isDry: boolean; notes: readonly string[] },
): Promise<ExitCode> {
  const existing = listMemories(await readCollections(project));
  const planned = planImportItems(drafts, existing, { nowMs: project.cli.clock.now(), operation: OPERATION });
  return importMemories(project, { ...planned, notes, isDry });
}

/** Another tool's JSON export; `undefined` if the file is not one. */
async function readOthers(
  project: Project,
  source: string,
  withGlobal: boolean,
): Promise<JsonExport | undefined> {
  const { readJsonExport } = await import("../../operations/transfer/json-export.js");
  const text = decodeStrictly((await project.cli.files.read(source)) ?? new Uint8Array());
  const name = labelOf(project, source);
  const found =
    text === undefined
      ? undefined
      : readJsonExport(text, { name, ...(withGlobal && { scope: "global" as const }) });
  return found && found.drafts.length > 0 ? found : undefined;
}

/** Memories name no path outside the project, because others may read them. */
function labelOf({ root }: Project, source: string): string {
  const inside = relative(root, source);
  return inside.startsWith("..") ? basename(source) : inside;
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
async function readCopies(files: Files, path: string): Promise<{ copies: MemoryCopy[]; badLines: number[] }> {
  const bytes = (await files.read(path)) ?? new Uint8Array();
  const copies: MemoryCopy[] = [];
  const badLines: number[] = [];
  // Decoded line by line: a file cut off within a character keeps its other lines.
  for (let start = 0, number = 1; start < bytes.length; number++) {
    const newline = bytes.indexOf(0x0a, start);
    const end = newline === -1 ? bytes.length : newline;
    const line = decodeStrictly(bytes.subarray(start, end));
    const copy = line === undefined ? undefined : parseCopy(parseJson(line));
    if (copy) copies.push(copy);
    else if (line?.trim() !== "") badLines.push(number);
    start = end + 1;
  }
  return { copies, badLines };
}
