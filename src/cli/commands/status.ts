/** `strata status` */

import { listSwitches } from "../../config/part.js";
import { isStrata } from "../../config/plugin-entries.js";
import { formatStatus } from "../../status/format-status.js";
import { readStatus } from "../../status/status.js";
import { exitCodes, type Run } from "../command.js";
import { openOwnIn } from "../own.js";
import { requireProject } from "../project.js";
import { readSettings } from "../settings.js";

export const run: Run = async (surroundings, { json }) => {
  const { clock, say, style } = surroundings;
  const project = await requireProject(surroundings);
  const { config, layers, plugins, problems } = await readSettings(surroundings, project);
  const { files } = openOwnIn(surroundings, project);
  const status = await readStatus(
    { files, clock },
    project,
    config,
    listSwitches(layers.map(({ settings }) => settings)),
  );
  const pulses = await files.list(status.folders.pulse);
  const hasRun = pulses.length + Object.keys(status.sessions).length > 0;
  const isLoaded = plugins.some(isStrata) || hasRun;
  if (!isLoaded) status.layers = {};
  const missing =
    "opencode-strata is not loaded in this project: no plugin list names it and it has never run here. strata init adds it.";
  status.problems.unshift(...problems, ...(isLoaded ? [] : [missing]));
  say(json ? JSON.stringify(status, null, 2) : formatStatus(status, style));
  return status.problems.length > 0 ? exitCodes.problems : exitCodes.fine;
};
