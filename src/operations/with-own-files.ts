import { createOwnFiles } from "../project/own-files.js";
import type { CliContext } from "./command.js";

/** Files that follow no link out of our folders, unless the user's settings allow it: a repository may bring one. */
export function withOwnFiles(given: CliContext): CliContext {
  return {
    ...given,
    files: createOwnFiles({
      files: given.files,
      clock: given.clock,
      listLinked: async () => {
        // Such links are rare, and loading the settings takes time.
        const { openProject } = await import("./open-project.js");
        const project = await openProject(given);
        return (await project.settings()).config.linkedFolders;
      },
      report: (message) => given.warn(`strata: ${message}`),
    }),
  };
}
