/** One line for a log, for any thrown value. */
export function formatError(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const code = (thrown as { code?: unknown }).code;
  return typeof code === "string" && !thrown.message.includes(code)
    ? `${code}: ${thrown.message}`
    : thrown.message;
}

/** What the machine refuses to do. The message says what was expected, what came, and what to do. */
export class StrataError extends Error {
  override readonly name = "StrataError";

  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}
