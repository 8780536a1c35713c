import { type OpenCheckpoints, openCheckpoints } from "../../notes/checkpoints/open-checkpoints.js";
import { withMemories } from "../../operations/open-memories.js";
import { openOwnState, type Project } from "../../operations/project.js";

/** The project's checkpoints, even while OpenCode has it open. They lack what OpenCode has not written yet. */
export function openProjectsCheckpoints(project: Project): OpenCheckpoints {
  const { cli, folders, root } = project;
  const own = openOwnState(project);
  return openCheckpoints({
    complain: cli.warn,
    clock: cli.clock,
    files: own.files,
    folder: folders.sessionMemory,
    project: root,
    sessions: own.sessions,
    listMemories: () => withMemories(project, (store) => store.list()),
    locate: async () => (await own.locateRecord()).folder,
  });
}
