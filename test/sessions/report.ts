/** What stays of a comparison: the tables as Markdown, the figures of each request as JSON. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Comparison, compare, compareModels } from "./comparison.js";
import type { Replay } from "./request-record.js";
import { formatReport } from "./table.js";

/** Writes `sessions.md` and `figures.json` into the folder. Returns the tables. */
export async function writeReport(
  folder: string,
  comparisons: readonly Comparison[],
  description: string,
): Promise<string> {
  const compared = compare(comparisons);
  const tables = formatReport(comparisons, compared);
  const figures = {
    description,
    sessions: compared,
    models: compareModels(comparisons),
    requests: comparisons.map(({ id, bare, strata }) => ({
      id,
      bare: listCounts(bare),
      strata: listCounts(strata),
    })),
  };
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "sessions.md"), `${description}\n\n${tables}\n`);
  await writeFile(join(folder, "figures.json"), `${JSON.stringify(figures, null, 1)}\n`);
  return tables;
}

/** The counts of each request, without its blocks. */
function listCounts({ records }: Replay): object[] {
  return records.map(({ blocks, leaning, ...counts }) => ({
    ...counts,
    blocks: blocks.length,
    ...(leaning && leaning.gone.length > 0 ? { gone: leaning.gone } : {}),
  }));
}
