/** Formats a time for a model, to the second, in UTC so that all instances agree. */
export function formatTime(timeMs: number): string {
  return `${new Date(timeMs).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}
