/** `strata restore` */
import type { Run } from "../command.js";
import { reportWritten, requireMemory, withMemories } from "../memories.js";

export const run: Run = async (surroundings, _options, args) =>
  withMemories(surroundings, async (memories) => {
    const { id } = await requireMemory(memories, args.join(" "), { archived: true });
    return reportWritten(
      surroundings,
      await memories.restore(id, { operation: "restore" }),
      "Back from the archive",
    );
  });
