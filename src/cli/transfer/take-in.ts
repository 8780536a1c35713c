/** Brings into the store what was planned: each memory in one step, so that a broken-off import can be repeated. */
import { randomUUID } from "node:crypto";
import { findRefusal, planMemory } from "../../memory/draft.js";
import type { Memory, MemoryDraft } from "../../memory/memory.js";
import { readTitle } from "../../memory/memory-file.js";
import { refuseSecrets } from "../../memory/secret-gate.js";
import type { OpenMemories, Written } from "../../memory/store.js";
import { atOnce } from "../../slices.js";
import { type ExitCode, exitCodes, type Surroundings } from "../command.js";
import { withMemories } from "../memories.js";
import { createProgress } from "../progress.js";
import { SOURCE_FIELD } from "./sections.js";

/** One memory that is to be taken in. */
export interface Arrival {
  /** For people. */
  name: string;
  /** Why it cannot be, as far as that can be told without trying. */
  refusal?: string | undefined;
  /** `run`: what is taken in at a time is taken back at a time. */
  write(memories: OpenMemories, run: string): Promise<Written>;
}

export interface Arrivals {
  arrivals: readonly Arrival[];
  duplicates: number;
  /** Sentences on what is left out. */
  notes: readonly string[];
  isDry: boolean;
}

/** Takes them in one after the other, and says what became of them. */
export async function takeIn(surroundings: Surroundings, given: Arrivals): Promise<ExitCode> {
  const { say, style, warn } = surroundings;
  const { arrivals, duplicates, isDry, notes } = given;
  const refused = arrivals.flatMap(({ name, refusal }) => (refusal === undefined ? [] : [{ name, refusal }]));
  const fit = arrivals.filter(({ refusal }) => refusal === undefined);
  if (isDry) for (const { name } of fit) say(`Would import  ${name}`);
  else if (fit.length > 0) refused.push(...(await writeAll(surroundings, fit)));
  const count = arrivals.length - refused.length;
  const parts = [
    `${isDry ? "Would import" : "Imported"}: ${count} ${count === 1 ? "memory" : "memories"}`,
    ...(duplicates > 0 ? [`${duplicates} known already`] : []),
    ...(refused.length > 0 ? [`${refused.length} not taken`] : []),
  ];
  say(parts.join(", "));
  for (const { name, refusal } of refused) warn(`${style.yellow("Not taken")}  ${name}: ${refusal}`);
  for (const note of notes) warn(`${style.yellow("Left out")}  ${note}`);
  return refused.length > 0 || notes.length > 0 ? exitCodes.problems : exitCodes.fine;
}

function writeAll(
  surroundings: Surroundings,
  arrivals: readonly Arrival[],
): Promise<{ name: string; refusal: string }[]> {
  const progress = createProgress(surroundings, "Importing");
  return withMemories(surroundings, async (memories) => {
    const refused: { name: string; refusal: string }[] = [];
    const run = randomUUID().slice(0, 8);
    for (const [index, { name, write }] of arrivals.entries()) {
      const written = await write(memories, run);
      if (written.kind === "refused") refused.push({ name, refusal: written.why });
      progress.step(index + 1, arrivals.length);
    }
    return refused;
  }).finally(() => progress.end());
}

/** What of these pages is new beside the memories that are there, and how to take it in. Pure but for `write`. */
export function planArrivals(
  drafts: readonly MemoryDraft[],
  existing: readonly Memory[],
  { nowMs, operation }: { nowMs: number; operation: string },
): Pick<Arrivals, "arrivals" | "duplicates"> {
  const known = new Set(existing.map(readWords));
  const arrivals: Arrival[] = [];
  for (const draft of drafts) {
    const memory = planMemory(draft, readTitle, nowMs);
    const words = readWords(memory);
    if (known.has(words)) continue;
    known.add(words);
    arrivals.push({
      name: `${memory.type}  ${memory.title}  (${draft.extra?.[SOURCE_FIELD]})`,
      refusal: findRefusal(memory) ?? atOnce(refuseSecrets(memory)),
      write: (memories, run) => memories.remember(draft, { operation, run }),
    });
  }
  return { arrivals, duplicates: drafts.length - arrivals.length };
}

/** The same for two memories that say the same in the same scope. */
function readWords({ content, scope, title }: Memory): string {
  return [scope, title, content].map((text) => text.replace(/\s+/g, " ").trim().toLowerCase()).join("\n");
}
