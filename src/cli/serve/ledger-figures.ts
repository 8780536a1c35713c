import { join } from "node:path";
import { readJsonLines } from "../../record/json-lines.js";
import { parseSavingsRecord, type SavingsTotals, sumSavings } from "../../record/savings.js";
import type { Files } from "../../seams/files.js";

export interface LedgerFigures extends SavingsTotals {
  sessions: number;
  /** Number of model answers. */
  requests: number;
}

type Figures = Omit<LedgerFigures, "sessions">;

/** Sums the savings ledgers in this folder; later calls read only changed ones. Rejects with the system's error. */
export function createLedgerFigures(files: Files, folder: string): () => Promise<LedgerFigures> {
  const known = new Map<string, { bytes: number; modifiedMs: number; figures: Figures }>();
  return async () => {
    const names = (await files.list(folder)).filter((name) => name.endsWith(".jsonl"));
    for (const name of known.keys()) if (!names.includes(name)) known.delete(name);
    // One by one: together they may be hundreds of megabytes.
    for (const name of names) await readOne(name);
    return { ...addUp([...known.values()].map(({ figures }) => figures)), sessions: known.size };
  };

  async function readOne(name: string): Promise<void> {
    const path = join(folder, name);
    const { bytes = 0, modifiedMs = 0 } = (await files.stat(path)) ?? {};
    const last = known.get(name);
    if (last && last.bytes === bytes && last.modifiedMs === modifiedMs) return;
    const { records } = await readJsonLines(files, path, parseSavingsRecord);
    const requests = records.filter(({ event }) => event === "answer").length;
    known.set(name, { bytes, modifiedMs, figures: { ...sumSavings(records), requests } });
  }
}

/** Adds field by field; `money` is absent if it is absent from all. */
function addUp(all: readonly Figures[]): Figures {
  const total: Figures = { ...sumSavings([]), requests: 0 };
  for (const one of all)
    for (const name of Object.keys(one) as (keyof Figures)[])
      total[name] = (total[name] ?? 0) + (one[name] ?? 0);
  return total;
}
