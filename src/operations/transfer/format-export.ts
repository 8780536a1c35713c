/** Formats memories as lines of an export. Pure. */
import { join } from "node:path";
import { atOnce } from "../../base/slices.js";
import { findHint } from "../../memory/draft.js";
import type { Memory } from "../../memory/memory.js";
import { refuseSecrets } from "../../memory/secret-gate.js";
import { idOf, type ReadShelf } from "../memory-files.js";
import { formatCopy } from "./line.js";

export interface ExportOptions {
  /** Includes memories that git ignores. */
  withHidden: boolean;
  isWanted(memory: Memory): boolean;
}

/** `problems`: sentences about the memories left out. */
export function formatExport(
  shelves: readonly ReadShelf[],
  { isWanted, withHidden }: ExportOptions,
): { lines: string[]; problems: string[] } {
  const lines: string[] = [];
  const problems: string[] = [];
  for (const { isKeptOut, looked, place } of shelves) {
    for (const { path, reading, text = "" } of looked) {
      const hidden = isKeptOut(path) && { isKeptOut: true as const };
      if (hidden && !withHidden) continue;
      const file = join(place.folder, path);
      if (reading.kind === "problem") {
        problems.push(`${file}: ${reading.what}`);
        continue;
      }
      if (!isWanted(reading.memory)) continue;
      const whole = { ...reading.memory, ...hidden, content: text };
      const leak = findHint(whole) ?? atOnce(refuseSecrets(whole));
      if (leak !== undefined) problems.push(`${file}: ${leak}`);
      else
        lines.push(
          formatCopy({ id: idOf(place, path), isArchived: path.startsWith("archive/"), contents: text }),
        );
    }
  }
  return { lines, problems };
}
