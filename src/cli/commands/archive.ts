/** `strata archive` */

import type { Run } from "../command.js";
import { reportWritten, requireMemory } from "../memories.js";
import { withMemories } from "../open-memories.js";
import { openProject } from "../open-project.js";

export const run: Run = async (cli, { reason }, args) => {
  const project = await openProject(cli);
  return withMemories(project, async (memories) => {
    const { id } = await requireMemory(memories, args.join(" "), { archived: false });
    const cause = { operation: "archive", ...(typeof reason === "string" && { reason }) };
    return reportWritten(cli, await memories.archive(id, cause), "Archived");
  });
};
