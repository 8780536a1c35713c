import { type OpenCode, startOpenCode } from "./opencode.js";
import { createProject, type Project } from "./project.js";

/** A second host on the same repository, with a home of its own, as another user's terminal has. */
export async function startBeside(project: Project): Promise<{ host: OpenCode; end: () => Promise<void> }> {
  const elsewhere = await createProject();
  const beside: Project = { ...project, root: elsewhere.root, folders: elsewhere.folders };
  const host = await startOpenCode({ project: beside });
  return {
    host,
    async end() {
      await host.stop();
      await elsewhere.remove();
    },
  };
}
