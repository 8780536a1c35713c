/**
 * A command for people in a session: `/name words…`.
 *
 * Contract: the answer is shown to the person and never sent to a model, and no model is called. A command that cannot
 * be carried out throws a `StrataError` that says why and what to do.
 */
export interface SlashCommand {
  /** Without the slash. */
  readonly name: string;
  /** A few words, for the host's list of commands. It costs no tokens. */
  readonly description: string;
  /** Time limit; default 5 s. */
  readonly deadlineMs?: number;
  /** Returns the answer as plain text. `words` is everything after the name, as typed. */
  execute(call: { sessionID: string; words: string }, signal: AbortSignal): Promise<string>;
}
