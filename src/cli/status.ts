import { dirname, join } from "node:path";
import { type Folders, planFolders } from "../folders.js";
import { formatCount } from "../format.js";
import { parseEvent, sumSpilled } from "../record/events.js";
import { formatCorruption, readJsonLines } from "../record/json-lines.js";
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
  const { records, corruptLines } = await readJsonLines(files, folders.events, parseEvent);
  const names = (await files.list(folders.toolResults)).filter((name) => name.endsWith(".txt"));
  const sizes = await Promise.all(
    names.map(async (name) => (await files.stat(join(folders.toolResults, name)))?.bytes ?? 0),
  );
  return {
    folders,
    results: {
      ...sumSpilled(records),
      files: names.length,
      bytes: sizes.reduce((total, bytes) => total + bytes, 0),
    },
    problems: corruptLines.length > 0 ? [formatCorruption(folders.events, corruptLines)] : [],
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
