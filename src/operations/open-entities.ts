import { formatDays } from "../memory/search/found.js";
import type { Own } from "../project/own.js";
import type { EntityFact } from "../sources/entities/entity-fact.js";
import { formatFact } from "../sources/entities/format-fact.js";
import { type OpenEntities, openEntities } from "../sources/entities/open-entities.js";
import { openOwnState } from "./open-own.js";
import type { Project } from "./project.js";

/** Known facts about merge requests, issues and epics, and requests to GitLab and GitHub. */
export async function openKnownEntities(
  project: Project,
  { files }: Pick<Own, "files"> = openOwnState(project),
): Promise<OpenEntities> {
  const { cli, folders, log } = project;
  const { config } = await project.settings();
  const readVariable = (name: string): string | undefined => cli.env[name];
  return openEntities({ clock: cli.clock, config, files, folders, log, readVariable, get: cli.get });
}

/** `github.com/acme/shop#34  issue, open, by alice: "Login fails"  (today)` */
export const formatFactLine = (fact: EntityFact, nowMs: number): string =>
  `${fact.id}  ${formatFact(fact)}  (${formatDays(new Date(fact.askedMs).toISOString(), nowMs)})`;
