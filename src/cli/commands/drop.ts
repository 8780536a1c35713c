/** `strata drop`: things leave the context, and candidates are forgotten and do not come back. */
import { StrataError } from "../../base/error.js";
import { findCandidates } from "../../memory/candidates/choose-candidates.js";
import { type CliContext, exitCodes, type Run, WRONG_ARGUMENT } from "../../operations/command.js";
import { openPersonsCandidates } from "../../operations/open-candidates.js";
import { openProject } from "../../operations/project.js";
import { isItemID } from "../../status/context-items.js";

export const run: Run = async (cli, options, ids) => {
  const isAll = options.all === true;
  if (isAll ? ids.length > 0 : ids.length === 0)
    throw new StrataError(
      WRONG_ARGUMENT,
      `expected ids of candidates or --all, ${isAll ? "both" : "neither"} came; strata list --candidates lists them, strata context lists what is in the context`,
    );
  const items = ids.filter(isItemID);
  if (items.length > 0) {
    if (items.length < ids.length)
      throw new StrataError(
        WRONG_ARGUMENT,
        `expected ids of one kind, things in the context (${items.join(", ")}) and candidates came; drop them one after the other`,
      );
    const { askForItems } = await import("../steering/ask.js");
    await askForItems(cli, "drop", options, items);
    return exitCodes.fine;
  }
  if (options.session !== undefined || options.dryRun !== undefined)
    throw new StrataError(
      WRONG_ARGUMENT,
      "--session and --dry-run are for things in the context, whose ids strata context lists; candidates came",
    );
  await dropCandidates(cli, isAll ? undefined : ids);
  return exitCodes.fine;
};

/** All that wait without ids. */
async function dropCandidates(cli: CliContext, ids: readonly string[] | undefined): Promise<void> {
  const candidates = await openPersonsCandidates(await openProject(cli));
  const waiting = await candidates.list();
  const chosen = ids ? findCandidates(waiting, ids, "strata list --candidates") : waiting;
  await candidates.drop(chosen.map(({ id }) => id));
  cli.say(chosen.length === 0 ? "No candidates wait." : `Dropped: ${chosen.map(({ id }) => id).join(", ")}`);
}
