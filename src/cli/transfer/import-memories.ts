/** Writes planned memories to the store. An interrupted import can be repeated: it skips existing memories. */
import { randomUUID } from "node:crypto";
import { atOnce } from "../../base/slices.js";
import { findRefusal, planMemory, refuseSecrets } from "../../memory/draft.js";
import { createGate } from "../../memory/gate/gate.js";
import type { Memory, MemoryDraft } from "../../memory/memory.js";
import { readTitle } from "../../memory/memory-file.js";
import { listPaths } from "../../memory/store/scan.js";
import type { OpenMemories, Written } from "../../memory/store/store.js";
import { type ExitCode, exitCodes } from "../../operations/command.js";
import { listPlaces } from "../../operations/memory-files.js";
import { withMemories } from "../../operations/open-memories.js";
import { openSearch } from "../../operations/open-search.js";
import { createProgress } from "../../operations/progress.js";
import type { Project } from "../../operations/project.js";
import { recordRivals } from "../../operations/record-rivals.js";
import { SOURCE_FIELD } from "../../operations/transfer/sections.js";
import { type BulkOptions, createBulk } from "./bulk.js";

/** One memory to import. */
export interface ImportItem {
  /** For people. */
  name: string;
  /** Why it will be refused, as far as that is known before trying. */
  refusal?: string | undefined;
}

export interface ImportBatch<Item extends ImportItem = ImportItem> {
  items: readonly Item[];
  duplicates: number;
  /** Sentences on what is skipped. */
  notes: readonly string[];
  isDry: boolean;
  /** Writes these items and returns one result per item, in order. */
  write(items: readonly Item[], open: OpenImport): Promise<Written[]>;
}

/** The parts that an import needs for writing. */
export interface OpenImport {
  project: Project;
  memories: OpenMemories;
  /** The same for all items of one import, so that they are undone together. */
  run: string;
  onProgress(done: number): void;
}

/** Imports all items and reports the result. */
export async function importMemories<Item extends ImportItem>(
  project: Project,
  batch: ImportBatch<Item>,
): Promise<ExitCode> {
  const { say, style, warn } = project.cli;
  const { duplicates, isDry, items, notes } = batch;
  const refused = items.flatMap(({ name, refusal }) => (refusal === undefined ? [] : [{ name, refusal }]));
  const accepted = items.filter(({ refusal }) => refusal === undefined);
  if (isDry) for (const { name } of accepted) say(`Would import  ${name}`);
  else if (accepted.length > 0) refused.push(...(await writeAll(project, accepted, batch.write)));
  const count = items.length - refused.length;
  const parts = [
    `${isDry ? "Would import" : "Imported"}: ${count} ${count === 1 ? "memory" : "memories"}`,
    ...(duplicates > 0 ? [`${duplicates} already known`] : []),
    ...(refused.length > 0 ? [`${refused.length} refused`] : []),
  ];
  say(parts.join(", "));
  for (const { name, refusal } of refused) warn(`${style.yellow("Refused")}  ${name}: ${refusal}`);
  for (const note of notes) warn(`${style.yellow("Skipped")}  ${note}`);
  return refused.length > 0 || notes.length > 0 ? exitCodes.problems : exitCodes.fine;
}

/** Returns what was refused. */
function writeAll<Item extends ImportItem>(
  project: Project,
  items: readonly Item[],
  write: ImportBatch<Item>["write"],
): Promise<{ name: string; refusal: string }[]> {
  const progress = createProgress(project.cli, "Importing");
  return withMemories(project, async (memories) => {
    const onProgress = (done: number): void => progress.step(done, items.length);
    const written = await write(items, { project, memories, run: randomUUID().slice(0, 8), onProgress });
    const entered = written.flatMap((one) => (one.kind === "written" && !one.isKnown ? [one.memory] : []));
    await recordRivals(project, memories, entered);
    return items.flatMap(({ name }, n) => {
      const one = written[n];
      return one?.kind === "refused" ? [{ name, refusal: one.why }] : [];
    });
  }).finally(() => progress.end());
}

/** An item whose draft the gate compares with existing memories. */
export interface DraftItem extends ImportItem {
  draft: MemoryDraft;
}

/** The drafts that repeat no existing memory and not each other. Pure except for `write`, which runs sequentially. */
export function planImportItems(
  drafts: readonly MemoryDraft[],
  existing: readonly Memory[],
  { nowMs, operation }: { nowMs: number; operation: string },
): Pick<ImportBatch<DraftItem>, "items" | "duplicates" | "write"> {
  const known = new Set(existing.map(readWords));
  const items: DraftItem[] = [];
  for (const draft of drafts) {
    const memory = planMemory(draft, readTitle, nowMs);
    const words = readWords(memory);
    if (known.has(words)) continue;
    known.add(words);
    items.push({
      name: `${memory.type}  ${memory.title}  (${draft.extra?.[SOURCE_FIELD]})`,
      refusal: findRefusal(memory) ?? atOnce(refuseSecrets(memory)),
      draft,
    });
  }
  return { items, duplicates: drafts.length - items.length, write };

  async function write(
    accepted: readonly DraftItem[],
    { memories, onProgress, project, run }: OpenImport,
  ): Promise<Written[]> {
    await memories.list();
    const bulk = createBulk({
      ...{ store: memories, operation, run, nowMs },
      paths: await listTaken(project),
      openSearch: (searched) => openSearch(project, { ...searched, useOf: memories.useOf }),
    });
    const gate = createGate(bulk);
    const written: Written[] = [];
    for (const { draft } of accepted) {
      written.push(await gate.takeIn(draft, { operation, run }));
      onProgress(written.length);
    }
    await bulk.flush();
    return written.map((one) => (one.kind === "written" ? (bulk.refused.get(one.memory.id) ?? one) : one));
  }
}

/** Paths of all files where memories that are not private may be. */
async function listTaken(project: Project): Promise<BulkOptions["paths"]> {
  const paths: { -readonly [scope in keyof BulkOptions["paths"]]: readonly string[] } = {
    project: [],
    global: [],
  };
  for (const { folder, scope, sensitivity } of listPlaces(project))
    if (sensitivity === "internal") paths[scope] = await listPaths(project.cli.files, folder);
  return paths;
}

/** Equal for two memories that say the same in the same scope. */
function readWords({ content, scope, title }: Memory): string {
  return [scope, title, content].map((text) => text.replace(/\s+/g, " ").trim().toLowerCase()).join("\n");
}
