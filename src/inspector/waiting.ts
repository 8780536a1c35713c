/** What waits for the user: candidates and conflicts. */
import { StrataError } from "../base/error.js";
import type { OpenMemories } from "../memory/store/store.js";
import { describe } from "../operations/candidates.js";
import { openPersonsCandidates } from "../operations/open-candidates.js";
import type { Project } from "../operations/project.js";
import { type Choice, decide, readOpen, requireConflict } from "../operations/reconcile.js";
import { openConflictLog } from "../operations/record-rivals.js";
import type { Done, Waiting } from "./answers.js";

export async function readWaiting(memories: OpenMemories, project: Project): Promise<Waiting> {
  const log = await openConflictLog(project);
  const conflicts = await readOpen({ cli: project.cli, log, memories });
  return {
    ...(await readCandidates(project)),
    conflicts: conflicts.map(({ inUse, name, other, otherText, record }) => ({
      ...{ name, title: record.title, found: record.found },
      this: {
        id: inUse.id,
        text: inUse.content,
        ...(record.standingBy !== undefined && { by: record.standingBy }),
      },
      that: {
        text: otherText,
        ...(other && { id: other.id }),
        ...(record.otherBy !== undefined && { by: record.otherBy }),
      },
    })),
  };
}

/** None in an agent's shell, since no model may see them. */
async function readCandidates(project: Project): Promise<Omit<Waiting, "conflicts">> {
  try {
    const waiting = await (await openPersonsCandidates(project)).list();
    return { candidates: waiting.map(describe) };
  } catch (thrown) {
    if (thrown instanceof StrataError) return { candidatesWhy: thrown.message };
    throw thrown;
  }
}

/** @throws StrataError NO_CONFLICT or REFUSED */
export async function decideConflict(
  { keep, name }: { name: string; keep: Exclude<Choice, "edited"> },
  memories: OpenMemories,
  project: Project,
): Promise<Done> {
  const log = await openConflictLog(project);
  const deciding = { cli: project.cli, memories, log };
  const conflict = requireConflict(await readOpen(deciding), name);
  const refusal = await decide(deciding, conflict, keep);
  if (refusal !== undefined) throw new StrataError("REFUSED", refusal);
  return { what: `Decided: ${conflict.record.title}`, memory: conflict.inUse.id };
}
