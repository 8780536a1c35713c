/** `strata publish`: lets git see a memory that it ignores. */

import { randomUUID } from "node:crypto";
import { exitCodes, type Run } from "../command.js";
import { reportWritten, requireMemory } from "../memories.js";
import { withMemories } from "../open-memories.js";
import { openProject } from "../open-project.js";

export const run: Run = async (cli, _options, args) => {
  const project = await openProject(cli);
  return withMemories(project, async (memories) => {
    const { id } = await requireMemory(memories, args.join(" "));
    const run = randomUUID().slice(0, 8);
    const written = await memories.publish(id, { run });
    const code = reportWritten(cli, written, "Published");
    if (code === exitCodes.fine && written.kind === "written")
      cli.say(
        `git sees it and its history from now on; strata undo --run ${run} takes that back until it is committed`,
      );
    return code;
  });
};
