/** Formats any thrown value as one line for a log. */
export function formatError(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const code = (thrown as { code?: unknown }).code;
  return typeof code === "string" && !thrown.message.includes(code)
    ? `${code}: ${thrown.message}`
    : thrown.message;
}

/** Why something failed, for people: the message of a StrataError, or any other error with its code. */
export const formatFailure = (thrown: unknown): string =>
  thrown instanceof StrataError ? thrown.message : formatError(thrown);

/** An expected failure. The message says what was expected, what came, and what to do. */
export class StrataError extends Error {
  override readonly name = "StrataError";

  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}
