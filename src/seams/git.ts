/** Git, asked for what it knows. It changes nothing, runs no hook and no program that a repository names. */
export interface Git {
  /** What the command prints; `undefined` where git is not there, fails, or takes too long. Never rejects. */
  ask(args: readonly string[], options: GitOptions): Promise<string | undefined>;
}

export interface GitOptions {
  /** A folder of the work tree. */
  folder: string;
  /** Standard input. */
  input?: string | Uint8Array;
}
