/** `strata ingest`: Markdown files to memories, one for each heading. */
import { basename, relative, resolve } from "node:path";
import { StrataError } from "../../error.js";
import type { MemoryDraft } from "../../memory/memory.js";
import { decodeStrictly, type Files } from "../../seams/files.js";
import { readType } from "../arguments.js";
import type { Run } from "../command.js";
import { listMemories, readShelves } from "../memory-files.js";
import { openProject } from "../open-project.js";
import { importMemories, planImportItems } from "../transfer/import-memories.js";
import { parseSections, planDrafts } from "../transfer/sections.js";

/** Larger files are not meant to be read by people. */
const MOST_BYTES = 4_000_000;

export const run: Run = async (cli, { dryRun, global: isGlobal, type: given }, paths) => {
  const { clock, files, folder } = cli;
  const type = readType(given);
  const project = await openProject(cli);
  const scope = isGlobal === true ? ("global" as const) : undefined;
  const drafts: MemoryDraft[] = [];
  // All files are read before the first memory is written: one bad file changes nothing.
  for (const path of paths.map((one) => resolve(folder, one))) {
    const text = await readMarkdown(files, path);
    const inside = relative(project.root, path);
    const name = inside.startsWith("..") ? basename(path) : inside;
    drafts.push(...planDrafts(parseSections(text), { name, type, ...(scope && { scope }) }));
  }
  const existing = listMemories(await readShelves(project));
  const planned = planImportItems(drafts, existing, { nowMs: clock.now(), operation: "ingest" });
  return importMemories(project, { ...planned, notes: [], isDry: dryRun === true });
};

async function readMarkdown(files: Files, path: string): Promise<string> {
  const stat = await files.stat(path);
  if (stat?.kind !== "file") {
    const what = stat ? "is not a file; strata import reads folders" : "does not exist";
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
