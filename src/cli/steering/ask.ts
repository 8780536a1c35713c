/** `strata drop`, `pin`, `unpin`, `expand` and `undo-cut`: ask for a change of a session's context. */
import { StrataError } from "../../base/error.js";
import { isInAgentsShell } from "../../operations/agents-shell.js";
import { type CliContext, exitCodes, type OptionValues, type Run } from "../../operations/command.js";
import { openOwnState } from "../../operations/open-own.js";
import { openProject } from "../../operations/open-project.js";
import type { Action } from "../../status/context-items.js";
import { createContextRequests } from "../../status/context-requests.js";
import { findWanted, requireAction } from "../../status/find-item.js";
import { formatCost } from "../../status/format-items.js";
import { readSessionItems } from "./session-items.js";

export const askFor =
  (action: Action): Run =>
  async (cli, options, ids) => {
    await askForItems(cli, action, options, ids);
    return exitCodes.fine;
  };

/** Says what each will free and cost, and asks for it unless this is a dry run. Throws before anything is asked for. */
export async function askForItems(
  cli: CliContext,
  action: Action,
  options: OptionValues,
  ids: readonly string[],
): Promise<void> {
  const isDry = options.dryRun === true;
  if (!isDry && (await isInAgentsShell(cli)))
    throw new StrataError(
      "AGENT",
      "the context is for you to steer, and this shell is an agent's; run it in a terminal of your own, or type /context in the session",
    );
  const project = await openProject(cli);
  const { items, session } = await readSessionItems(project, options);
  const wanted = (ids.length > 0 ? ids : [undefined]).map((id) => {
    const item = findWanted(items, action, id, "strata context");
    return { item, cost: requireAction(item, action) };
  });
  const own = openOwnState(project);
  const requests = createContextRequests({
    clock: cli.clock,
    files: own.files,
    locate: async () => (await own.locateRecord()).contextRequests,
  });
  for (const { cost, item } of wanted) {
    if (!isDry) await requests.ask({ session, action, item: item.id });
    cli.say(formatCost(item, action, cost));
  }
  cli.say(
    isDry
      ? "Nothing was asked for: this was a dry run."
      : `Asked for: it is done before the next message of ${session} is sent.`,
  );
}
