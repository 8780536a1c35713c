/** `strata restore` */

import type { Run } from "../command.js";
import { reportWritten, requireMemory } from "../memories.js";
import { withMemories } from "../open-memories.js";
import { openProject } from "../open-project.js";

export const run: Run = async (cli, _options, args) => {
  const project = await openProject(cli);
  return withMemories(project, async (memories) => {
    const { id } = await requireMemory(memories, args.join(" "), { archived: true });
    return reportWritten(cli, await memories.restore(id, { operation: "restore" }), "Restored");
  });
};
