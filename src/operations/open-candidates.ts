import { type Candidates, createCandidates } from "../memory/candidates/candidates.js";
import { formatDays } from "../memory/search/search.js";
import type { Own } from "../project/own.js";
import { locateRecord, type ProjectRecord } from "../project/state-owner.js";
import { createEntities, type Entities } from "../sources/entities/entities.js";
import { type EntityFact, formatFact } from "../sources/entities/forges.js";
import { openLocks, openOwnState, type Project } from "./project.js";

/** The candidates of the project, beside any OpenCode that has them open. */
export const openCandidates = (project: Project): Candidates =>
  open(project, openOwnState(project).locateRecord);

/** The same to be looked at: unlike a use, it leaves machine state of another machine where it is. */
export function lookAtCandidates(project: Project): Pick<Candidates, "count"> {
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

/** Known facts about merge requests, issues and epics, and requests to GitLab and GitHub. */
export async function openKnownEntities(
  project: Project,
  { files }: Pick<Own, "files"> = openOwnState(project),
): Promise<Entities> {
  const { cli, folders, log } = project;
  const { config } = await project.settings();
  const readVariable = (name: string): string | undefined => cli.env[name];
  return createEntities({ clock: cli.clock, config, files, folders, log, readVariable, get: cli.get });
}

/** `github.com/acme/shop#34  issue, open, by alice: "Login fails"  (today)` */
export const formatFactLine = (fact: EntityFact, nowMs: number): string =>
  `${fact.id}  ${formatFact(fact)}  (${formatDays(new Date(fact.askedMs).toISOString(), nowMs)})`;
