import { execFile } from "node:child_process";
import { devNull } from "node:os";
import type { Git } from "../seams/git.js";

const DEADLINE_MS = 5_000;
const MOST_OUTPUT_BYTES = 4_000_000;

/**
 * A repository's own configuration can name programs: hooks, a file-system monitor, transports. All of them are off,
 * and paths mean what they say.
 */
const HARMLESS = [
  "--literal-pathspecs",
  "-c",
  `core.hooksPath=${devNull}`,
  "-c",
  "core.fsmonitor=false",
  "-c",
  "protocol.allow=never",
];

/** The user's git, by the name that PATH gives it. */
export function createGit(): Git {
  return {
    ask: (args, { folder, input }) =>
      new Promise((resolve) => {
        const { HOME, PATH, SystemRoot, USERPROFILE, XDG_CONFIG_HOME } = process.env;
        const env = {
          ...{ HOME, PATH, SystemRoot, USERPROFILE, XDG_CONFIG_HOME },
          GIT_TERMINAL_PROMPT: "0",
          GIT_OPTIONAL_LOCKS: "0",
          GIT_NO_LAZY_FETCH: "1",
          // Wins over what a repository's configuration allows; earlier gits do not know the line above.
          GIT_ALLOW_PROTOCOL: "none",
          // A commit is what it is, whatever another is put in its place.
          GIT_NO_REPLACE_OBJECTS: "1",
          // Windows looks for programs in the current folder first, which is the repository's.
          NoDefaultCurrentDirectoryInExePath: "1",
        };
        const options = {
          cwd: folder,
          env,
          timeout: DEADLINE_MS,
          maxBuffer: MOST_OUTPUT_BYTES,
          windowsHide: true,
        };
        const child = execFile("git", [...HARMLESS, ...args], options, (error, stdout) =>
          resolve(error ? undefined : stdout),
        );
        // It may end before it has read all of it.
        child.stdin?.on("error", () => {});
        child.stdin?.end(input);
      }),
  };
}
