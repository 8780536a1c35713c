/** `strata status` */

import { isStrata } from "../../config/plugin-entries.js";
import { listSwitches } from "../../config/setting.js";
import { createGit } from "../../io/node-git.js";
import { exitCodes, type Run } from "../../operations/command.js";
import { lookAtCandidates } from "../../operations/open-candidates.js";
import { openOwnState, openProject } from "../../operations/project.js";
import { formatStatus } from "../../status/format-status.js";
import { readStatus } from "../../status/status.js";

const NOT_LOADED =
  "opencode-strata is not configured in this project and has never run here; add it with strata init";

export const run: Run = async (cli, { json }) => {
  const { clock, say, style } = cli;
  const project = await openProject(cli);
  const { config, layers, plugins, problems } = await project.settings();
  const { files } = openOwnState(project);
  const candidates = lookAtCandidates(project);
  const switches = listSwitches(layers.map(({ settings }) => settings));
  const given = { candidates, clock, files, git: createGit() };
  const status = await readStatus(given, project.folders, config, switches);
  const callRecords = await files.list(status.folders.calls);
  const hasRun = callRecords.length + Object.keys(status.sessions).length > 0;
  const isLoaded = plugins.some(isStrata) || hasRun;
  if (!isLoaded) status.layers = {};
  status.problems.unshift(...problems, ...(isLoaded ? [] : [NOT_LOADED]));
  say(json ? JSON.stringify(status, null, 2) : formatStatus(status, style));
  return status.problems.length > 0 ? exitCodes.problems : exitCodes.fine;
};
