/** One line for a log, whatever was thrown. */
export function formatError(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const code = (thrown as { code?: unknown }).code;
  return typeof code === "string" && !thrown.message.includes(code)
    ? `${code}: ${thrown.message}`
    : thrown.message;
}
