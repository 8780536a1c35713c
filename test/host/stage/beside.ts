import { type OpenCode, startOpenCode } from "./opencode.js";
import { createProject, type Project } from "./project.js";

/** A second host on the same repository, with a configuration and data of its own, as another terminal may have. */
export async function startBeside(project: Project): Promise<{ host: OpenCode; end: () => Promise<void> }> {
  const elsewhere = await createProject();
  const beside: Project = { ...project, root: elsewhere.root, folders: elsewhere.folders };
  // One user at two terminals: what this machine knows of the project is the same for both.
  const host = await startOpenCode({ project: beside, env: { XDG_STATE_HOME: project.folders.state } });
  return {
    host,
    async end() {
      await host.stop();
      await elsewhere.remove();
    },
  };
}
