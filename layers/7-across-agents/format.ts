/** A moment for a model: seconds do, and there is one clock that every instance reads alike. */
export function formatTime(timeMs: number): string {
  return `${new Date(timeMs).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}
