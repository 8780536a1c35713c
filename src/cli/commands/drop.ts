/** `strata drop`: candidates are forgotten, and do not come back. */

import { findCandidates } from "../../candidates/choose-candidates.js";
import { StrataError } from "../../error.js";
import { WRONG_ARGUMENT } from "../arguments.js";
import { exitCodes, type Run } from "../command.js";
import { openPersonsCandidates } from "../open-candidates.js";
import { openProject } from "../open-project.js";

export const run: Run = async (cli, { all: isAll }, ids) => {
  if (isAll ? ids.length > 0 : ids.length === 0)
    throw new StrataError(
      WRONG_ARGUMENT,
      `expected ids of candidates or --all, ${isAll ? "both" : "neither"} came; strata list --candidates lists them`,
    );
  const candidates = await openPersonsCandidates(await openProject(cli));
  const waiting = await candidates.list();
  const chosen = isAll ? waiting : findCandidates(waiting, ids, "strata list --candidates");
  await candidates.drop(chosen.map(({ id }) => id));
  cli.say(chosen.length === 0 ? "No candidates wait." : `Dropped: ${chosen.map(({ id }) => id).join(", ")}`);
  return exitCodes.fine;
};
