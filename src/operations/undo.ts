/** `strata undo`: undoes the last change to memory. */
import { formatUndone, undoChange } from "../../layers/6-dream/undo.js";
import { exitCodes, type Run } from "./command.js";
import { withMemories } from "./open-memories.js";
import { openProject } from "./project.js";

export const run: Run = async (cli, { run: wanted }) => {
  const { clock, say, warn } = cli;
  const project = await openProject(cli);
  const { folders, log } = project;
  return withMemories(project, async (memories) => {
    const files = cli.files;
    const id = typeof wanted === "string" ? wanted : undefined;
    const undone = await undoChange({ clock, files, folders, log, memories }, {}, id);
    if (undone.kind === "nothing" && id !== undefined) {
      warn(`strata: ${undone.why}`);
      return exitCodes.failed;
    }
    say(formatUndone(undone));
    const isWhole = undone.kind === "undone" && undone.left.length === 0;
    return isWhole ? exitCodes.fine : exitCodes.problems;
  });
};
