/** Conflict records for memories written by a person's own commands. */
import { formatRival, orderRivals } from "../../layers/5-auto-memory/injection/conflicts.js";
import { toLine } from "../base/text.js";
import type { Memory } from "../memory/memory.js";
import { type ConflictLog, createConflictLog, findUnseenRival } from "../memory/store/conflict-log.js";
import type { OpenMemories } from "../memory/store/store.js";
import type { Style } from "./command.js";
import { openTrust } from "./open-memories.js";
import type { Project } from "./project.js";

/** Pairs of memories of one type and title that say different things, each once. Pure. */
function findRivals(
  entered: readonly Memory[],
  all: readonly Memory[],
): (readonly [own: Memory, rival: Memory])[] {
  const met = new Set<string>();
  return entered.flatMap((own) => {
    const others = all.filter(({ id, isForeign }) => !isForeign && id !== own.id);
    const rival = findUnseenRival(own, others, new Map());
    const pair = [own.id, rival?.id ?? ""].sort().join(" ");
    if (!rival || met.has(pair)) return [];
    met.add(pair);
    return [[own, rival] as const];
  });
}

/** Records each of these memories that another contradicts; returns a line for each. */
export async function recordConflicts(
  changed: readonly Memory[],
  given: { memories: Pick<OpenMemories, "list">; openLog(): Promise<ConflictLog>; style: Style },
): Promise<string[]> {
  const { memories, openLog, style } = given;
  const rivals = changed.length === 0 ? [] : findRivals(changed, await memories.list());
  if (rivals.length === 0) return [];
  const log = await openLog();
  const lines: string[] = [];
  for (const [own, rival] of rivals) {
    const path = await log.add(...orderRivals(own, rival));
    lines.push(`${style.yellow("Conflict")}  ${toLine(formatRival(rival, path), 1_000)}`);
  }
  return lines;
}

export const noteConflicts = (
  project: Project,
  memories: Pick<OpenMemories, "list">,
  changed: readonly Memory[],
): Promise<string[]> =>
  recordConflicts(changed, { memories, openLog: () => openConflictLog(project), style: project.cli.style });

export async function openConflictLog(project: Project) {
  const { cli, folders } = project;
  const { clock, files } = cli;
  const trust = await openTrust(project);
  await trust.refresh("");
  return createConflictLog({ clock, files, folder: folders.memory, trust });
}
