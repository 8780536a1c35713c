/** `strata history`: every change of one memory. */
import { parseID } from "../../memory/memory.js";
import type { LedgerLine } from "../../memory/store/ledger-line.js";
import { exitCodes, type Run } from "../../operations/command.js";
import { requireMemory, withMemories } from "../../operations/open-memories.js";
import { openProject } from "../../operations/project.js";

export const run: Run = async (cli, { json }, args) => {
  const project = await openProject(cli);
  return withMemories(project, async (memories) => {
    const words = args.join(" ");
    // A full id also finds a memory that no longer exists.
    const id = parseID(words) ? words : (await requireMemory(memories, words)).id;
    const lines = await memories.history(id);
    if (json) cli.say(JSON.stringify(lines, null, 2));
    else if (lines.length === 0) cli.say(`No changes of ${id} are recorded.`);
    else for (const line of lines) cli.say(formatChange(line));
    return lines.length > 0 ? exitCodes.fine : exitCodes.problems;
  });
};

function formatChange(line: LedgerLine): string {
  const { at, by, operation, reason, run, session } = line;
  const time = `${at.slice(0, 19).replace("T", " ")} UTC`;
  const why = [session, run && `run ${run}`, reason].filter(Boolean).join(", ");
  return `${time}  ${by.padEnd(7)} ${operation.padEnd(10)} ${formatStep(line)}${why === "" ? "" : `  (${why})`}`;
}

function formatStep({ after, before, from, path }: LedgerLine): string {
  if (before === null) return `created ${path}`;
  if (after === null) return `removed ${path}`;
  return from === undefined ? `changed ${path}` : `moved ${from} to ${path}`;
}
