import { execFile } from "node:child_process";
import { devNull } from "node:os";
import type { Git } from "./host.js";

const DEADLINE_MS = 5_000;
const MOST_OUTPUT_BYTES = 4_000_000;

/**
 * A repository's configuration can name programs: hooks, a file-system monitor, transports, signature checks. All are
 * disabled, and pathspecs are literal.
 */
const HARMLESS = [
  "--literal-pathspecs",
  ...["-c", `core.hooksPath=${devNull}`, "-c", "core.fsmonitor=false"],
  ...["-c", "log.showSignature=false", "-c", "protocol.allow=never"],
];

/** The user's git, found through PATH. */
export function createGit(): Git {
  return {
    ask: (args, { folder }) =>
      new Promise((resolve) => {
        const { HOME, PATH, SystemRoot, USERPROFILE, XDG_CONFIG_HOME } = process.env;
        const env = {
          ...{ HOME, PATH, SystemRoot, USERPROFILE, XDG_CONFIG_HOME },
          GIT_TERMINAL_PROMPT: "0",
          GIT_OPTIONAL_LOCKS: "0",
          GIT_NO_LAZY_FETCH: "1",
          // Overrides the repository's configuration; older gits ignore GIT_NO_LAZY_FETCH.
          GIT_ALLOW_PROTOCOL: "none",
          // Ignores replacement refs, which could substitute another commit.
          GIT_NO_REPLACE_OBJECTS: "1",
          // Windows would look for programs in the current folder first, here the repository.
          NoDefaultCurrentDirectoryInExePath: "1",
        };
        const bounds = { timeout: DEADLINE_MS, maxBuffer: MOST_OUTPUT_BYTES };
        const options = { cwd: folder, env, windowsHide: true, ...bounds };
        const child = execFile("git", [...HARMLESS, ...args], options, (error, stdout) =>
          resolve(error ? undefined : stdout),
        );
        child.stdin?.on("error", () => {}).end();
      }),
  };
}
