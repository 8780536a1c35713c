/** The state of a project that belongs to this machine. */
import { type Candidates, createCandidates } from "../memory/candidates/candidates.js";
import { type Own, openOwn } from "../project/own.js";
import { locateRecord, type ProjectRecord } from "../project/state-owner.js";
import { openLocks, type Project } from "./project.js";

export const openOwnState = ({ cli, folders, instance, log, processes, stateFolder }: Project): Own =>
  openOwn({ clock: cli.clock, files: cli.files, log, folders, instance, host: { stateFolder, processes } });

/** The candidates of the project, beside any OpenCode that has them open. */
export const openCandidates = (project: Project): Candidates =>
  open(project, openOwnState(project).locateRecord);

/** The same to be looked at: unlike a use, it leaves machine state of another machine where it is. */
export function lookAtCandidates(project: Project): Pick<Candidates, "count" | "list"> {
  const { cli, folders, stateFolder } = project;
  return open(project, () => locateRecord(cli.files, { project: folders.project, stateFolder }));
}

function open(project: Project, locate: () => Promise<ProjectRecord>): Candidates {
  const { cli, instance, log } = project;
  const files = cli.files;
  return createCandidates({
    ...{ clock: cli.clock, files, log, locateRecord: locate },
    locks: openLocks(project, `${instance} candidates`, files),
  });
}
