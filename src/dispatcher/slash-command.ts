/**
 * A command that a person calls in a session, as `/name words…`.
 *
 * Contract: the answer is shown to the person and never sent to the model, and no model is asked. What cannot be done
 * throws a `StrataError` that says why and what to do.
 */
export interface SlashCommand {
  /** Without the slash. */
  readonly name: string;
  /** A few words, for the host's list of commands. It costs no tokens. */
  readonly description: string;
  /** How long it may take; by default 5 s. */
  readonly deadlineMs?: number;
  /** The answer, plain text. `words` is everything after the name, as typed. */
  execute(call: { sessionID: string; words: string }, signal: AbortSignal): Promise<string>;
}
