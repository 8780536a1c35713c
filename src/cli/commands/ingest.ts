/** `strata ingest`: Markdown files to memories, one for each heading. */
import { basename, relative, resolve } from "node:path";
import { StrataError } from "../../error.js";
import type { MemoryDraft } from "../../memory/memory.js";
import { decodeStrictly } from "../../seams/files.js";
import { readType } from "../arguments.js";
import type { Run } from "../command.js";
import { readShelves } from "../memory-files.js";
import { requireProject } from "../project.js";
import { parseSections, planDrafts } from "../transfer/sections.js";
import { planArrivals, takeIn } from "../transfer/take-in.js";
import { listMemories } from "./import.js";

/** A larger file is no page for people. */
const MOST_BYTES = 4_000_000;

export const run: Run = async (surroundings, { dryRun, global: isGlobal, type: given }, paths) => {
  const { clock, files, folder } = surroundings;
  const type = readType(given);
  const project = await requireProject(surroundings);
  const drafts: MemoryDraft[] = [];
  // All of them are read before the first is taken in: a wrong name changes nothing.
  for (const path of paths.map((one) => resolve(folder, one))) {
    const stat = await files.stat(path);
    if (stat?.kind !== "file")
      throw new StrataError("NO_SOURCE", `${path} is no file; strata import takes folders`);
    if (stat.bytes > MOST_BYTES)
      throw new StrataError(
        "WRONG_SOURCE",
        `${path} has ${stat.bytes} bytes, more than ${MOST_BYTES}; cut it`,
      );
    const text = decodeStrictly((await files.read(path)) ?? new Uint8Array());
    if (text === undefined || text.includes("\0"))
      throw new StrataError("WRONG_SOURCE", `${path} is no text in UTF-8; strata ingest takes Markdown`);
    const inside = relative(project, path);
    const name = inside.startsWith("..") ? basename(path) : inside;
    const scope = isGlobal === true ? ("global" as const) : undefined;
    drafts.push(...planDrafts(parseSections(text), { name, type, ...(scope && { scope }) }));
  }
  const existing = listMemories(await readShelves(surroundings, project));
  const planned = planArrivals(drafts, existing, { nowMs: clock.now(), operation: "ingest" });
  return takeIn(surroundings, { ...planned, notes: [], isDry: dryRun === true });
};
