/** `strata context`: what stands in a session's context, largest first. */

import { readWhole } from "../../operations/arguments.js";
import { exitCodes, type Run } from "../../operations/command.js";
import { openProject } from "../../operations/open-project.js";
import { formatItems } from "../../status/format-items.js";
import { readSessionItems } from "./session-items.js";

const USUAL_ITEMS = 20;
const WIDTH = 100;

export const run: Run = async (cli, options) => {
  const most = readWhole("--limit", options.limit, { least: 1, most: 300, usual: USUAL_ITEMS });
  const items = await readSessionItems(await openProject(cli), options);
  if (options.json) cli.say(JSON.stringify(items, null, 2));
  else cli.say(formatItems(items, { command: "strata", most, width: WIDTH }));
  return exitCodes.fine;
};
