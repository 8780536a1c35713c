import { join } from "node:path";
import { type Folders, planFolders } from "../folders.js";
import { formatCount } from "../format.js";
import { parseEvent } from "../record/events.js";
import { formatCorruptLines, readJsonLines } from "../record/json-lines.js";
import type { Files } from "../seams/files.js";

export interface Status {
  folders: Folders;
  results: {
    /** Results that left the context, over all sessions. */
    spilled: number;
    /** Tokens that left the context with them; an estimate. */
    tokensFreed: number;
    /** Files there are now; equal results share one. */
    files: number;
    bytes: number;
  };
  /** Sentences about what is damaged; empty when all is well. */
  problems: string[];
}

/** Reads what the plugin has written in this project. A project without anything has zeros. */
export async function readStatus(files: Files, project: string): Promise<Status> {
  const folders = planFolders(project);
  const { records, corruptLines } = await readJsonLines(files, folders.events, parseEvent);
  const spilled = records.filter(({ event }) => event === "spilled");
  const names = (await files.list(folders.toolResults)).filter((name) => name.endsWith(".txt"));
  const sizes = await Promise.all(
    names.map(async (name) => (await files.stat(join(folders.toolResults, name)))?.bytes ?? 0),
  );
  const sum = (numbers: number[]): number => numbers.reduce((total, number) => total + number, 0);
  return {
    folders,
    results: {
      spilled: spilled.length,
      tokensFreed: sum(spilled.map(({ tokensFreed = 0 }) => tokensFreed)),
      files: names.length,
      bytes: sum(sizes),
    },
    problems:
      corruptLines.length > 0
        ? [`${folders.events}: ${formatCorruptLines(corruptLines)} cannot be read and is passed over`]
        : [],
  };
}

/** The status for people. */
export function formatStatus({ folders, results, problems }: Status): string {
  return [
    `Moved out of the context   ${formatCount(results.spilled)} results, about ${formatCount(results.tokensFreed)} tokens`,
    `On disk                    ${formatCount(results.files)} files, ${formatCount(results.bytes)} bytes, in ${folders.toolResults}`,
    `What happened              ${folders.log}`,
    `                           ${folders.events}`,
    ...problems.map((problem) => `Problem                    ${problem}`),
  ].join("\n");
}
