/** `strata restore`: restores a memory from the archive, or the files of a `strata backup`. */
import { StrataError } from "../../base/error.js";
import { exitCodes, type Run, WRONG_ARGUMENT } from "../../operations/command.js";
import { reportWritten, requireMemory, withMemories } from "../../operations/open-memories.js";
import { openProject } from "../../operations/project.js";
import { recordRivals } from "../../operations/record-rivals.js";

export const run: Run = async (cli, options, args) => {
  const { backup, dryRun, force, global: withGlobal } = options;
  const isBackup = typeof backup === "string";
  if (isBackup === args.length > 0)
    throw new StrataError(WRONG_ARGUMENT, "name a memory in the archive, or a backup with --backup FILE");
  const project = await openProject(cli);
  if (isBackup) {
    const { restoreBackup } = await import("../upkeep/restore-backup.js");
    return restoreBackup(project, {
      file: backup,
      isDry: dryRun === true,
      isForced: force === true,
      withGlobal: withGlobal === true,
    });
  }
  return withMemories(project, async (memories) => {
    const { id } = await requireMemory(memories, args.join(" "), { archived: true });
    if (dryRun) {
      cli.say(`Would restore ${id}`);
      return exitCodes.fine;
    }
    const written = await memories.restore(id, { operation: "restore" });
    if (written.kind === "written") await recordRivals(project, memories, [written.memory]);
    return reportWritten(cli, written, "Restored");
  });
};
