/** The projects that the server serves. */
import { basename, join } from "node:path";
import type { CliContext } from "../operations/command.js";
import { openProject } from "../operations/open-project.js";
import type { Project } from "../operations/project.js";
import { findStateFolder } from "../project/opencode-files.js";
import { isRecordName, locateRecord, planRecord } from "../project/record.js";
import { readOwner } from "../project/state-owner.js";
import { createProjectFigures, type ProjectFigures } from "./figures.js";

export interface ServedProject {
  /** Used in URLs; the name of its folder in the user's state folder. */
  id: string;
  project: Project;
  readFigures(): Promise<ProjectFigures>;
}

/** The project of the working directory. Throws if there is none. */
export async function openServed(cli: CliContext): Promise<ServedProject> {
  const project = await openProject(cli);
  const { stateFolder } = project;
  const { folder } = await locateRecord(cli.files, { project: project.root, stateFolder });
  return { id: basename(folder), project, readFigures: createProjectFigures(project) };
}

/**
 * All projects in which Strata has run on this machine and whose folders still exist, sorted by path. A project that an
 * earlier call opened stays open.
 */
export function createProjectList(cli: CliContext): () => Promise<readonly ServedProject[]> {
  const opened = new Map<string, ServedProject>();
  return async () => {
    const all = join(findStateFolder(cli), "projects");
    const names = (await cli.files.list(all)).filter(isRecordName);
    const owners = await Promise.all(
      names.map((name) => readOwner(cli.files, planRecord(join(all, name))).catch(() => undefined)),
    );
    const found: ServedProject[] = [];
    for (const path of [...new Set(owners.flatMap((owner) => owner?.path ?? []))].sort()) {
      // An unreadable folder, for example on a disk that is not mounted, counts as absent.
      const stat = await cli.files.stat(join(path, ".opencode", "strata")).catch(() => undefined);
      if (stat?.kind !== "folder") continue;
      const served = opened.get(path) ?? (await openServed({ ...cli, folder: path }));
      opened.set(path, served);
      found.push(served);
    }
    return found;
  };
}
