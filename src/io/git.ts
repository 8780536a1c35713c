/** Read-only git. It changes nothing, and runs no hook and no program that a repository configures. */
export interface Git {
  /** Output of the command; `undefined` if git is missing, fails, or takes too long. Never rejects. */
  ask(args: readonly string[], options: GitOptions): Promise<string | undefined>;
}

export interface GitOptions {
  /** A folder of the work tree. */
  folder: string;
  /** Standard input. */
  input?: string | Uint8Array;
}
