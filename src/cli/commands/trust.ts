/** `strata trust`: memories that came with the repository, and whether they count as the user's. */
import { formatAccepted, formatRevoked, formatWaiting } from "../../memory/format-foreign.js";
import { exitCodes, type Run } from "../../operations/command.js";
import { withMemories } from "../../operations/open-memories.js";
import { openProject } from "../../operations/project.js";

export const run: Run = async (cli, { json, undo, yes }) => {
  const { say } = cli;
  const project = await openProject(cli);
  return withMemories(project, async (memories) => {
    await memories.list();
    if (undo) {
      say(formatRevoked(await memories.revoke()));
      return exitCodes.fine;
    }
    const waiting = memories.foreign();
    if (json) say(JSON.stringify({ foreign: waiting }, null, 2));
    else if (!yes) say(formatWaiting(waiting, "strata trust --yes"));
    if (yes) say(formatAccepted(await memories.accept(undefined, "strata trust")));
    return waiting.length === 0 || yes ? exitCodes.fine : exitCodes.problems;
  });
};
