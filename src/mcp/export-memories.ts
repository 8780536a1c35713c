import { DAY_MS } from "../base/days.js";
import { countMemories } from "../base/format.js";
import type { Memory, MemoryType } from "../memory/memory.js";
import { readShelves } from "../operations/memory-files.js";
import { formatExport } from "../operations/transfer/format-export.js";
import { writeNew } from "../operations/write-new.js";
import type { SharedContext } from "./shared-context.js";
import { refuse } from "./tool.js";

export interface ExportWanted {
  types: readonly MemoryType[] | undefined;
  sinceDays: number | undefined;
  /** Default: the memories of the project. */
  scope: Memory["scope"] | undefined;
  /** Path of the file; without it, the answer contains the memories. */
  target: string | undefined;
}

/** Limit of an answer, to protect the client's context. */
const MOST_CHARACTERS = 100_000;

/** Returns the lines, or a report of the file written. @throws StrataError if the file exists or the answer is too long */
export async function exportMemories(
  { allowsPrivate, project }: SharedContext,
  { scope = "project", sinceDays, target, types }: ExportWanted,
): Promise<string> {
  const { cli } = project;
  const sinceMs = sinceDays === undefined ? undefined : cli.clock.now() - sinceDays * DAY_MS;
  const shelves = (await readShelves(project)).filter(
    ({ place }) => place.scope === scope && (allowsPrivate || place.sensitivity === "internal"),
  );
  const { lines, problems } = formatExport(shelves, {
    withHidden: allowsPrivate,
    isWanted: ({ type, updated }) =>
      (types === undefined || types.includes(type)) &&
      (sinceMs === undefined || Date.parse(updated) >= sinceMs),
  });
  const left = problems.length > 0 ? ` Left out ${problems.length} files: ${problems[0]}` : "";
  const text = lines.map((line) => `${line}\n`).join("");
  if (target !== undefined)
    return `Exported: ${countMemories(lines.length)} to ${await writeNew(cli, target, text, false)}.${left}`;
  if (text.length > MOST_CHARACTERS)
    throw refuse(
      `${countMemories(lines.length)} do not fit in an answer; give output_path, categories or since_days.`,
    );
  return text === "" ? `Nothing to export.${left}` : text.trimEnd();
}
