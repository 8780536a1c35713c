import { type Candidates, createCandidates } from "../candidates/candidates.js";
import { StrataError } from "../error.js";
import { locateRecord } from "../owner/record.js";
import { keepLaterState } from "../record/later-state.js";
import { openLocks } from "./open-locks.js";
import { openOwnState } from "./open-own.js";
import type { Project } from "./project.js";
import { isInAgentsShell } from "./trust/agents-shell.js";

/** The candidates of the project, beside any OpenCode that has them open. */
export function openCandidates(project: Project): Candidates {
  const { cli, instance, log } = project;
  const { clock } = cli;
  const files = keepLaterState(cli.files, log);
  const { locateRecord } = openOwnState(project);
  return createCandidates({
    ...{ clock, files, log, locateRecord },
    locks: openLocks(project, `${instance} candidates`, files),
  });
}

/** The same to be looked at: nothing is moved, as the machine state of another machine is by its first use. */
export function lookAtCandidates(project: Project): Pick<Candidates, "count"> {
  const { cli, folders, instance, log, stateFolder } = project;
  const { clock, files } = cli;
  return createCandidates({
    ...{ clock, files, log },
    locks: openLocks(project, `${instance} candidates`, files),
    locateRecord: () => locateRecord(files, { project: folders.project, stateFolder }),
  });
}

/** The same for a person. @throws StrataError AGENT: no model sees candidates, and none decides about them. */
export async function openPersonsCandidates(project: Project): Promise<Candidates> {
  if (await isInAgentsShell(project.cli))
    throw new StrataError(
      "AGENT",
      "candidates are for you alone, and this shell is an agent's; run it in a terminal of your own, or type /keep in the session",
    );
  return openCandidates(project);
}
