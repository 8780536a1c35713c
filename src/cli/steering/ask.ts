/** `strata candidates drop`, `pin`, `unpin`, `expand` and `undo-cut`: ask for a change of a session's context. */
import { basename, join } from "node:path";
import { StrataError } from "../../base/error.js";
import {
  type CliContext,
  exitCodes,
  type OptionValues,
  type Run,
  readWhole,
  WRONG_ARGUMENT,
} from "../../operations/command.js";
import { isInAgentsShell } from "../../operations/open-memories.js";
import { openOwnState, openProject, type Project } from "../../operations/project.js";
import {
  type Action,
  type ContextItems,
  findWanted,
  formatCost,
  formatItems,
  ITEMS_ENDING,
  readContextItems,
  requireAction,
} from "../../status/context-items.js";
import { createContextRequests } from "../../status/context-requests.js";

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

/* The items of the session that a command is about. */

/** Of `--session`, else of the session whose context was sent last. @throws StrataError NO_SESSION */
export async function readSessionItems(
  { cli: { files }, folders }: Project,
  { session }: OptionValues,
): Promise<ContextItems> {
  if (typeof session === "string" && !/^[\w-]+$/.test(session))
    throw new StrataError(WRONG_ARGUMENT, `expected the id of a session, "${session}" came`);
  const id = typeof session === "string" ? session : await findNewest();
  const items = id === undefined ? undefined : await readContextItems(files, folders, id);
  if (items) return items;
  const of = id === undefined ? "any session of this project" : id;
  throw new StrataError(
    "NO_SESSION",
    `nothing is known of the context of ${of}: it is written when OpenCode sends a request with Strata loaded`,
  );

  async function findNewest(): Promise<string | undefined> {
    let newest: { id: string; modifiedMs: number } | undefined;
    for (const name of await files.list(folders.screens)) {
      if (!name.endsWith(ITEMS_ENDING)) continue;
      const stat = await files.stat(join(folders.screens, name));
      const isNewer = stat?.kind === "file" && stat.modifiedMs > (newest?.modifiedMs ?? 0);
      if (isNewer) newest = { id: basename(name, ITEMS_ENDING), modifiedMs: stat.modifiedMs };
    }
    return newest?.id;
  }
}

/* `strata context`: what stands in a session's context, largest first. */

const USUAL_ITEMS = 20;
const WIDTH = 100;

export const run: Run = async (cli, options) => {
  const most = readWhole("--limit", options.limit, { least: 1, most: 300, usual: USUAL_ITEMS });
  const items = await readSessionItems(await openProject(cli), options);
  if (options.json) cli.say(JSON.stringify(items, null, 2));
  else cli.say(formatItems(items, { command: "strata", most, width: WIDTH }));
  return exitCodes.fine;
};
