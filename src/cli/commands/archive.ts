/** `strata archive` */
import type { Run } from "../command.js";
import { reportWritten, requireMemory, withMemories } from "../memories.js";

export const run: Run = async (surroundings, { reason }, args) =>
  withMemories(surroundings, async (memories) => {
    const { id } = await requireMemory(memories, args.join(" "), { archived: false });
    const cause = { operation: "archive", ...(typeof reason === "string" && { reason }) };
    return reportWritten(surroundings, await memories.archive(id, cause), "Moved to the archive");
  });
