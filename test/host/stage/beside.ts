import { mkdir, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { type OpenCode, startOpenCode } from "./opencode.js";
import { createProject, type Project } from "./project.js";

/** A second host on the same repository, with its own configuration and data, as in another terminal. */
export async function startBeside(project: Project): Promise<{ host: OpenCode; end: () => Promise<void> }> {
  const elsewhere = await createProject();
  const beside: Project = { ...project, root: elsewhere.root, folders: elsewhere.folders };
  // One user at two terminals, so both share this machine's record of the project.
  const [known, own] = [project, elsewhere].map(({ folders }) => join(folders.state, "opencode-strata"));
  await rm(own ?? "", { recursive: true, force: true });
  await mkdir(known ?? "", { recursive: true });
  await symlink(known ?? "", own ?? "");
  const host = await startOpenCode({ project: beside });
  return {
    host,
    async end() {
      await host.stop();
      await elsewhere.remove();
    },
  };
}
