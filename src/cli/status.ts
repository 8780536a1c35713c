/** `strata status` */
import { formatStatus } from "../status/format-status.js";
import { readStatus } from "../status/status.js";
import { exitCodes, type Run } from "./command.js";
import { openOwnIn } from "./own.js";
import { requireProject } from "./project.js";
import { readSettings } from "./settings.js";

export const run: Run = async (surroundings, { json }) => {
  const { clock, say, style } = surroundings;
  const project = await requireProject(surroundings);
  const { config, problems } = await readSettings(surroundings, project);
  const { files } = openOwnIn(surroundings, project);
  const status = await readStatus({ files, clock }, project, config);
  status.problems.unshift(...problems);
  say(json ? JSON.stringify(status, null, 2) : formatStatus(status, style));
  return status.problems.length > 0 ? exitCodes.problems : exitCodes.fine;
};
