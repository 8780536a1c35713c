/** `strata ingest`: Markdown files to memories, one for each heading. */
import { basename, join, relative, resolve } from "node:path";
import { StrataError } from "../../base/error.js";
import { decodeStrictly, type Files } from "../../io/files.js";
import { isOthers, listFilesBelow } from "../../io/files-below.js";
import type { MemoryDraft } from "../../memory/memory.js";
import { type Run, readType } from "../../operations/command.js";
import { openProject } from "../../operations/project.js";
import { parseSections, planDrafts } from "../../operations/transfer/sections.js";
import { importDrafts } from "../transfer/import-memories.js";

/** Larger files are not meant to be read by people. */
const MOST_BYTES = 4_000_000;

export const run: Run = async (cli, { dryRun, global: isGlobal, recursive, type: given }, names) => {
  const { files, folder } = cli;
  const type = readType(given);
  const project = await openProject(cli);
  const scope = isGlobal === true ? ("global" as const) : undefined;
  const drafts: MemoryDraft[] = [];
  const places = names.map((one) => resolve(folder, one));
  const { notes, paths } = await listPages(files, places, recursive === true);
  // All files are read before the first memory is written: one bad file changes nothing.
  for (const path of paths) {
    const text = await readMarkdown(files, path);
    const inside = relative(project.root, path);
    const name = inside.startsWith("..") ? basename(path) : inside;
    drafts.push(...planDrafts(parseSections(text), { name, type, ...(scope && { scope }) }));
  }
  return importDrafts(project, drafts, { operation: "ingest", notes, isDry: dryRun === true });
};

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
  if (stat.bytes > MOST_BYTES)
    throw new StrataError(
      "WRONG_SOURCE",
      `${path} has ${stat.bytes} bytes, more than ${MOST_BYTES}; split it`,
    );
  const text = decodeStrictly((await files.read(path)) ?? new Uint8Array());
  if (text === undefined || text.includes("\0"))
    throw new StrataError("WRONG_SOURCE", `${path} is not UTF-8 text; strata ingest reads Markdown`);
  return text;
}
