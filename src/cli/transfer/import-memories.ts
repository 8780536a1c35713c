/** Writes planned memories to the store, each in a step of its own, so that an interrupted import can be repeated. */
import { randomUUID } from "node:crypto";
import type { Gate } from "../../gate/gate.js";
import { findRefusal, planMemory } from "../../memory/draft.js";
import type { Memory, MemoryDraft } from "../../memory/memory.js";
import { readTitle } from "../../memory/memory-file.js";
import { refuseSecrets } from "../../memory/secret-gate.js";
import type { OpenMemories, Written } from "../../memory/store.js";
import { atOnce } from "../../slices.js";
import { type ExitCode, exitCodes } from "../command.js";
import { openGate } from "../open-gate.js";
import { withMemories } from "../open-memories.js";
import { createProgress } from "../progress.js";
import type { Project } from "../project.js";
import { recordRivals } from "../upkeep/record-rivals.js";
import { SOURCE_FIELD } from "./sections.js";

/** One memory to import. */
export interface ImportItem {
  /** For people. */
  name: string;
  /** Why it will be refused, as far as that is known before trying. */
  refusal?: string | undefined;
  /** `run` is the same for all items of one import, so that they are undone together. */
  write(memories: OpenMemories, gate: Pick<Gate, "takeIn">, run: string): Promise<Written>;
}

export interface ImportBatch {
  items: readonly ImportItem[];
  duplicates: number;
  /** Sentences on what is skipped. */
  notes: readonly string[];
  isDry: boolean;
}

/** Imports one after the other, and reports the result. */
export async function importMemories(project: Project, batch: ImportBatch): Promise<ExitCode> {
  const { say, style, warn } = project.cli;
  const { duplicates, isDry, items, notes } = batch;
  const refused = items.flatMap(({ name, refusal }) => (refusal === undefined ? [] : [{ name, refusal }]));
  const accepted = items.filter(({ refusal }) => refusal === undefined);
  if (isDry) for (const { name } of accepted) say(`Would import  ${name}`);
  else if (accepted.length > 0) refused.push(...(await writeAll(project, accepted)));
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
function writeAll(
  project: Project,
  items: readonly ImportItem[],
): Promise<{ name: string; refusal: string }[]> {
  const progress = createProgress(project.cli, "Importing");
  return withMemories(project, async (memories) => {
    const refused: { name: string; refusal: string }[] = [];
    const run = randomUUID().slice(0, 8);
    const gate = await openGate(project, memories);
    const entered: Memory[] = [];
    for (const [index, { name, write }] of items.entries()) {
      const written = await write(memories, gate, run);
      if (written.kind === "refused") refused.push({ name, refusal: written.why });
      else if (written.kind === "written" && !written.isKnown) entered.push(written.memory);
      progress.step(index + 1, items.length);
    }
    await recordRivals(project, memories, entered);
    return refused;
  }).finally(() => progress.end());
}

/** The drafts that do not repeat an existing memory or each other. Pure but for `write`. */
export function planImportItems(
  drafts: readonly MemoryDraft[],
  existing: readonly Memory[],
  { nowMs, operation }: { nowMs: number; operation: string },
): Pick<ImportBatch, "items" | "duplicates"> {
  const known = new Set(existing.map(readWords));
  const items: ImportItem[] = [];
  for (const draft of drafts) {
    const memory = planMemory(draft, readTitle, nowMs);
    const words = readWords(memory);
    if (known.has(words)) continue;
    known.add(words);
    items.push({
      name: `${memory.type}  ${memory.title}  (${draft.extra?.[SOURCE_FIELD]})`,
      refusal: findRefusal(memory) ?? atOnce(refuseSecrets(memory)),
      write: (_memories, gate, run) => gate.takeIn(draft, { operation, run }),
    });
  }
  return { items, duplicates: drafts.length - items.length };
}

/** Equal for two memories that say the same in the same scope. */
function readWords({ content, scope, title }: Memory): string {
  return [scope, title, content].map((text) => text.replace(/\s+/g, " ").trim().toLowerCase()).join("\n");
}
