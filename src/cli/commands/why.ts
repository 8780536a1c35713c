/** `strata why`: why something that the user said was kept or not. */
import { findReasons, formatReasons, planNext } from "../../memory/candidates/why.js";
import { exitCodes, type Run } from "../../operations/command.js";
import { openPersonsCandidates } from "../../operations/open-candidates.js";
import { withMemories } from "../../operations/open-memories.js";
import { openProject } from "../../operations/project.js";

export const run: Run = async (cli, { json }, args) => {
  const project = await openProject(cli);
  const candidates = await openPersonsCandidates(project);
  return withMemories(project, async (memories) => {
    const reasons = await findReasons(args.join(" "), { candidates, memories });
    if (json) {
      const found = reasons.found.map(({ atMs, ...one }) => ({
        ...{ ...one, at: new Date(atMs).toISOString() },
        todo: planNext({ atMs, ...one }, "terminal"),
      }));
      cli.say(JSON.stringify({ ...reasons, found }, null, 2));
    } else cli.say(formatReasons(reasons, "terminal"));
    return exitCodes.fine;
  });
};
