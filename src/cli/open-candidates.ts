import { type Candidates, createCandidates } from "../candidates/candidates.js";
import { StrataError } from "../error.js";
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

/** The same for a person. @throws StrataError AGENT: no model sees candidates, and none decides about them. */
export async function openPersonsCandidates(project: Project): Promise<Candidates> {
  if (await isInAgentsShell(project.cli))
    throw new StrataError(
      "AGENT",
      "candidates are for you alone, and this shell is an agent's; run it in a terminal of your own, or type /keep in the session",
    );
  return openCandidates(project);
}
