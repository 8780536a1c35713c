import { dirname, join } from "node:path";
import { type Folders, planFolders } from "../folders.js";
import { formatCount } from "../format.js";
import { formatCorruption, readJsonLines } from "../record/json-lines.js";
import { parseSavingsRecord, type SavingsRecord, type SavingsTotals, sumSavings } from "../record/savings.js";
import type { Files } from "../seams/files.js";

export interface Status {
  folders: Folders;
  /** What was saved in all sessions, net of what it cost. */
  savings: SavingsTotals;
  /** The same by session. */
  sessions: Record<string, SavingsTotals>;
  /** Whole results on disk; equal ones share a file. */
  results: { files: number; bytes: number };
  /** Sentences about what is damaged; empty when all is well. */
  problems: string[];
}

/** The nearest folder upwards in which the plugin has written something; `folder` itself when there is none. */
export async function findProject(files: Files, folder: string): Promise<string> {
  for (let place = folder; ; place = dirname(place)) {
    if (await files.stat(planFolders(place).strata)) return place;
    if (dirname(place) === place) return folder;
  }
}

/** Reads what the plugin has written in this project. A project without anything has zeros. */
export async function readStatus(files: Files, project: string): Promise<Status> {
  const folders = planFolders(project);
  const { sessions, records, problems } = await readSavings(files, folders.savings);
  const names = (await files.list(folders.toolResults)).filter((name) => name.endsWith(".txt"));
  const sizes = await Promise.all(
    names.map(async (name) => (await files.stat(join(folders.toolResults, name)))?.bytes ?? 0),
  );
  return {
    folders,
    savings: sumSavings(records),
    sessions,
    results: { files: names.length, bytes: sizes.reduce((total, bytes) => total + bytes, 0) },
    problems,
  };
}

async function readSavings(files: Files, folder: string) {
  const sessions: Record<string, SavingsTotals> = {};
  const all: SavingsRecord[] = [];
  const problems: string[] = [];
  for (const name of (await files.list(folder)).filter((file) => file.endsWith(".jsonl"))) {
    const { records, corruptLines } = await readJsonLines(files, join(folder, name), parseSavingsRecord);
    sessions[name.replace(/\.jsonl$/, "")] = sumSavings(records);
    for (const record of records) all.push(record);
    if (corruptLines.length > 0) problems.push(formatCorruption(join(folder, name), corruptLines));
  }
  return { sessions, records: all, problems };
}

/** The status for people. */
export function formatStatus({ folders, savings, sessions, results, problems }: Status): string {
  const { spilled, cleared, compactions, tokensFreed, cacheLost, backgroundTokens, sent, cached, net } =
    savings;
  const rows: [string, string][] = [
    [
      "Left the context",
      `${formatCount(spilled)} results moved to files, ${formatCount(cleared)} cleared, history replaced ${formatCount(compactions)} times`,
    ],
    ["", `about ${formatCount(tokensFreed)} tokens, of which each later request is spared`],
    [
      "What that cost",
      `${formatCount(cacheLost)} cached tokens written again, ${formatCount(backgroundTokens)} tokens of background calls`,
    ],
    ["Sent", `${formatCount(sent)} tokens, ${formatCount(cached)} of them from the prompt cache`],
    [
      "Saved, net",
      `about ${formatCount(net)} tokens of input price, in ${formatCount(Object.keys(sessions).length)} sessions`,
    ],
    [
      "On disk",
      `${formatCount(results.files)} files, ${formatCount(results.bytes)} bytes, in ${folders.toolResults}`,
    ],
    ["What happened", folders.log],
    ["", folders.savings],
    ...problems.map((problem): [string, string] => ["Problem", problem]),
  ];
  return rows.map(([label, text]) => `${label.padEnd(16)}  ${text}`).join("\n");
}
