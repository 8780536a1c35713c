/**
 * Git with network access, for a repository of our own: it never prompts, runs no hooks, and ignores the project's
 * configuration. It reads the user's configuration, for credentials and proxies.
 */
export interface RemoteGit {
  /** Runs a command. Never rejects. */
  run(args: readonly string[], options: RemoteGitOptions): Promise<RemoteGitAnswer>;
}

export interface RemoteGitOptions {
  /** Working directory: a bare repository, or any folder for commands that need none. */
  folder: string;
  input?: string;
  /** After this time, git and all processes that it started are killed. */
  timeoutMs: number;
}

export type RemoteGitAnswer =
  | { kind: "done"; output: Uint8Array }
  /** `why` is git's message, without credentials. */
  | { kind: "failed"; why: string };
