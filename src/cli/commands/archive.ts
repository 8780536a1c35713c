/** `strata archive`: one memory, or all that a type, an age or words select, in one step. */
import { randomUUID } from "node:crypto";
import { countMemories } from "../../base/format.js";
import type { Memory } from "../../memory/memory.js";
import type { OpenMemories } from "../../memory/store/store.js";
import { type CliContext, type ExitCode, exitCodes, type Run } from "../../operations/command.js";
import { reportWritten, requireMemory, withMemories } from "../../operations/open-memories.js";
import { openProject } from "../../operations/project.js";
import { listSelected, readSelection, selectMemories } from "../../operations/select.js";

export const run: Run = async (cli, options, args) => {
  const { dryRun, global: withGlobal, reason: given } = options;
  const selection = readSelection(options, args);
  const isDry = dryRun === true;
  const reason = typeof given === "string" ? given : undefined;
  const project = await openProject(cli);
  return withMemories(project, async (memories) => {
    if (selection) {
      const all = (await memories.list()).filter(({ scope }) => withGlobal === true || scope === "project");
      const selected = selectMemories(all, selection, cli.clock.now());
      const pinned = selected.filter((memory) => memory.pinned).length;
      if (pinned > 0) cli.warn(`${cli.style.yellow("Skipped")}  ${countMemories(pinned)}: pinned`);
      const going = selected.filter((memory) => !memory.pinned);
      return archiveAll(cli, memories, { going, isDry, reason });
    }
    const memory = await requireMemory(memories, args.join(" "), { archived: false });
    if (isDry) return archiveAll(cli, memories, { going: [memory], isDry, reason });
    const cause = { operation: "archive", ...(reason !== undefined && { reason }) };
    return reportWritten(cli, await memories.archive(memory.id, cause), "Archived");
  });
};

/** All or none: if any memory changes meanwhile, nothing is archived. */
async function archiveAll(
  cli: CliContext,
  memories: Pick<OpenMemories, "changeAll">,
  { going, isDry, reason }: { going: readonly Memory[]; isDry: boolean; reason: string | undefined },
): Promise<ExitCode> {
  const { say, warn } = cli;
  if (going.length === 0) {
    say("No memory matches.");
    return exitCodes.fine;
  }
  listSelected(cli, going);
  if (isDry) {
    say(`Would archive ${countMemories(going.length)}. Nothing was changed: this was a dry run.`);
    return exitCodes.fine;
  }
  const run = randomUUID().slice(0, 8);
  const changes = going.map((before) => ({ before, after: { ...before, status: "archived" as const } }));
  const cause = { operation: "archive", run, ...(reason !== undefined && { reason }) };
  const allChanged = await memories.changeAll(changes, cause);
  if (allChanged.kind === "refused") {
    warn(`strata: ${allChanged.why}`);
    return exitCodes.failed;
  }
  say(`Archived ${countMemories(going.length)}; strata undo --run ${run} brings them back.`);
  return exitCodes.fine;
}
