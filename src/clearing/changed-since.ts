/** Tells which files something else than the session's own edits has changed. */
import { resolve } from "node:path";
import { isToolPart, type Message, type ToolPart } from "../conversation/message.js";
import type { Files } from "../seams/files.js";
import { CHANGING, readChanged } from "./superseded.js";

/** File systems round times of change, to two seconds at most (FAT). */
const ROUNDED_MS = 2_000;

/** By absolute path: when the last successful edit in these messages ended. */
export function findLastEdits(messages: readonly Message[], directory: string): ReadonlyMap<string, number> {
  const edits = new Map<string, number>();
  for (const { parts } of messages) {
    for (const part of parts) {
      if (!isToolPart(part) || part.state?.status !== "completed") continue;
      for (const path of findEdited(part, directory))
        edits.set(path, Math.max(edits.get(path) ?? 0, part.state.time?.end ?? 0));
    }
  }
  return edits;
}

/** Files of the call that were changed or removed after the last of these edits; reads their times only. */
export async function findChangedSince(
  part: ToolPart,
  edits: ReadonlyMap<string, number>,
  { directory, files }: { directory: string; files: Pick<Files, "stat"> },
): Promise<string[]> {
  const paths = findEdited(part, directory);
  const found = await Promise.all(paths.map((path) => files.stat(path)));
  return paths.filter((path, index) => {
    const modifiedMs = found[index]?.modifiedMs;
    return modifiedMs === undefined || modifiedMs > (edits.get(path) ?? 0) + ROUNDED_MS;
  });
}

const findEdited = (part: ToolPart, directory: string): string[] =>
  CHANGING.has(part.tool) ? readChanged(part.state.input ?? {}).map((path) => resolve(directory, path)) : [];
