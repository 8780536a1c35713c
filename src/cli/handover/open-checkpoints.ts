import { type OpenCheckpoints, openCheckpoints } from "../../checkpoints/open-checkpoints.js";
import { listMemories, readShelves } from "../memory-files.js";
import { openOwnState } from "../open-own.js";
import type { Project } from "../project.js";

/** The checkpoints of the project, beside any OpenCode that has it open. What that has not written yet is not in them. */
export function openProjectsCheckpoints(project: Project): OpenCheckpoints {
  const { cli, folders, root } = project;
  const own = openOwnState(project);
  return openCheckpoints({
    clock: cli.clock,
    files: own.files,
    folder: folders.sessionMemory,
    project: root,
    sessions: own.sessions,
    listMemories: async () => listMemories(await readShelves(project)),
    locate: async () => (await own.locateRecord()).folder,
  });
}
